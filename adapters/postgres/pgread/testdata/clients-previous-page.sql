-- /rest/client?fields=name (before a cursor)
-- page before a cursor; scan in order; $1 = 2024-03-09 16:05:00, $2 = 7
select counted.total, r.created_at, r.id, r.version, r.type, r.name
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from client_totals t
        where t.user_id = 0
    ) + (
        select coalesce(sum(t.delta), 0)
        from client_changes t
        where t.batch_id >= m.oldest_open_batch
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (
    select r.*
    from clients r
    where (r.created_at, r.id) > ($1, $2::bigint)
    order by r.created_at, r.id
    limit 10
) r on true
order by r.created_at desc, r.id desc;
