-- /rest/deal?fields=name&user_id=1&status_id=2
-- first page; rows: scan in order; total: sum the rollup; parameters: $1 :user_id, $2 :status_id
select counted.total, r.created_at, r.id, r.version, r.name
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from deal_totals t
        where t.user_id = :user_id
            and t.status_id = :status_id
    ) + (
        select coalesce(sum(t.delta), 0)
        from deal_changes t
        where t.batch_id >= m.oldest_open_batch
            and t.user_id = :user_id
            and t.status_id = :status_id
    ))::bigint as total, m.oldest_open_batch
    from read_model_state m
    where m.id = 1
        and m.lists_ready
    offset 0
) as counted
left join lateral (
    select r.*
    from deals r
    where r.user_id = :user_id
        and r.status_id = :status_id
    order by r.created_at desc, r.id desc
    limit 20
) r on true
order by r.created_at desc, r.id desc;
