-- /rest/deal?fields=name&client_id=1
-- first page; scan in order; $1 = 1, $2 = 1, $3 = 1
select counted.total, r.created_at, r.id, r.version, r.name
from (
    select ((
        select coalesce(sum(t.deals), 0)
        from client_counts t
        where t.client_id = $1
    ) + (
        select coalesce(sum(t.delta), 0)
        from deal_changes t
        where t.client_id = $2
            and t.batch_id >= m.oldest_open_batch
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (
    select r.*
    from deals r
    where r.client_id = $3
    order by r.created_at desc, r.id desc
    limit 20
) r on true
order by r.created_at desc, r.id desc;
