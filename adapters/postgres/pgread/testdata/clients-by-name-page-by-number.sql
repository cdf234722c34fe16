-- /rest/client?fields=name&sort=name&page=3
-- page by number; scan in order; $1 = 20, $2 = 20, $3 = 20, $4 = 20, $5 = 20
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
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (
    select u.id
    from (
        (
            select r.id, r.name_key as key
            from clients r
            where counted.total >= 2 * $1::bigint
            order by r.name_key, r.id
            limit 10
            offset $2::bigint
        )
        union all
        (
            select r.id, r.name_key as key
            from clients r
            where counted.total < 2 * $3::bigint
            order by r.name_key desc, r.id desc
            limit least(10, greatest(counted.total - $4::bigint, 0))
            offset greatest(counted.total - $5::bigint - 10, 0)
        )
    ) u
    limit 10
) page on true
left join clients r on r.id = page.id
order by r.name_key, r.id;
