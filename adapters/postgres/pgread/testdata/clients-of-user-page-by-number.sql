-- /rest/client?fields=name&user_id=1&page=3
-- page by number; scan in order; $1 = 1, $2 = 1, $3 = 1, $4 = 20, $5 = 20, $6 = 1, $7 = 20, $8 = 20, $9 = 20
select counted.total, r.created_at, r.id, r.version, r.type, r.name
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from client_totals t
        where t.user_id = $1
    ) + (
        select coalesce(sum(t.delta), 0)
        from client_changes t
        where t.user_id = $2
            and t.batch_id >= m.oldest_open_batch
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (
    select u.id
    from (
        (
            select r.id, r.created_at as key
            from clients r
            where r.user_id = $3
                and counted.total >= 2 * $4::bigint
            order by r.created_at desc, r.id desc
            limit 10
            offset $5::bigint
        )
        union all
        (
            select r.id, r.created_at as key
            from clients r
            where r.user_id = $6
                and counted.total < 2 * $7::bigint
            order by r.created_at, r.id
            limit least(10, greatest(counted.total - $8::bigint, 0))
            offset greatest(counted.total - $9::bigint - 10, 0)
        )
    ) u
    limit 10
) page on true
left join clients r on r.id = page.id
order by r.created_at desc, r.id desc;
