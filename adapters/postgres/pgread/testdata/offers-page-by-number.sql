-- /rest/offer?fields=number&page=3
-- page by number; scan in order; $1 = 40, $2 = 40, $3 = 40, $4 = 40, $5 = 40
select counted.total, r.created_on, r.id, r.version, r.number
from (
    select ((
        select coalesce(sum(t.offers), 0)
        from client_counts t
        where t.client_id = 0
    ) + (
        select coalesce(sum(t.delta), 0)
        from offer_changes t
        where t.batch_id >= m.oldest_open_batch
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (
    select u.id
    from (
        (
            select r.id, r.created_on as key
            from offers r
            where counted.total >= 2 * $1::bigint
            order by r.created_on desc, r.id desc
            limit 20
            offset $2::bigint
        )
        union all
        (
            select r.id, r.created_on as key
            from offers r
            where counted.total < 2 * $3::bigint
            order by r.created_on, r.id
            limit least(20, greatest(counted.total - $4::bigint, 0))
            offset greatest(counted.total - $5::bigint - 20, 0)
        )
    ) u
    limit 20
) page on true
left join offers r on r.id = page.id
order by r.created_on desc, r.id desc;
