-- /rest/client?fields=name&sort=name&page=3
-- page by number; rows: scan in order; total: sum the rollup; parameters: $1 :offset
select counted.total, r.name_key, r.id, r.version, r.type, r.name
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
    select u.id
    from (
        (
            select r.id, r.name_key as key
            from clients r
            where counted.total >= 2 * :offset::bigint
            order by r.name_key, r.id
            limit 10
            offset :offset::bigint
        )
        union all
        (
            select r.id, r.name_key as key
            from clients r
            where counted.total < 2 * :offset::bigint
            order by r.name_key desc, r.id desc
            limit least(10, greatest(counted.total - :offset::bigint, 0))
            offset greatest(counted.total - :offset::bigint - 10, 0)
        )
    ) u
    limit 10
) page on true
left join clients r on r.id = page.id
order by r.name_key, r.id;
