-- /rest/client?fields=name&sort=type,-name
-- first page; rows: scan in order; total: sum the rollup
select counted.total, r.version, r.type, r.name
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from client_totals t
        where t.user_id = 0
    ) + (
        select coalesce(sum(t.delta), 0)
        from client_changes t
        where t.batch_id >= m.oldest_open_batch
    ))::bigint as total, m.oldest_open_batch
    from read_model_state m
    where m.id = 1
        and m.lists_ready
    offset 0
) as counted
left join lateral (
    select r.*
    from clients r
    order by r.type, r.name_key desc, r.id desc
    limit 10
) r on true
order by r.type, r.name_key desc, r.id desc;
