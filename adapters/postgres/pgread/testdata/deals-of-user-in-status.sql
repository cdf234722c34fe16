-- /rest/deal?fields=name&user_id=1&status_id=2
-- first page; scan in order; $1 = 1, $2 = 2, $3 = 1, $4 = 2, $5 = 1, $6 = 2
select counted.total, r.created_at, r.id, r.version, r.name
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from deal_totals t
        where t.user_id = $1
            and t.status_id = $2
    ) + (
        select coalesce(sum(t.delta), 0)
        from deal_changes t
        where t.user_id = $3
            and t.status_id = $4
            and t.batch_id >= m.oldest_open_batch
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (
    select r.*
    from deals r
    where r.user_id = $5
        and r.status_id = $6
    order by r.created_at desc, r.id desc
    limit 20
) r on true
order by r.created_at desc, r.id desc;
