-- /rest/client?fields=name (after a cursor)
-- page after a cursor; rows: scan in order; total: sum the rollup; parameters: $1 :cursor_key, $2 :cursor_id
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
    ))::bigint as total, m.oldest_open_batch
    from read_model_state m
    where m.id = 1
        and m.lists_ready
    offset 0
) as counted
left join lateral (
    select r.*
    from clients r
    where (r.created_at, r.id) < (:cursor_key, :cursor_id::bigint)
    order by r.created_at desc, r.id desc
    limit 11
) r on true
order by r.created_at desc, r.id desc;
