-- /rest/client?fields=name&sort=-created_at&page=3
-- page by number; rows: seek in the page index; total: sum the rollup; parameters: $1 :offset
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
    select u.id
    from (
        select e.id
        from (
            (
                select r.id, r.created_at as key
                from clients r
                where :offset::bigint <= 1000
                order by r.created_at, r.id
                limit 10
                offset :offset::bigint
            )
            union all
            (
                select r.id, r.created_at as key
                from clients r
                where :offset::bigint > 1000
                    and counted.total - :offset::bigint <= 1000
                order by r.created_at desc, r.id desc
                limit least(10, greatest(counted.total - :offset::bigint, 0))
                offset greatest(counted.total - :offset::bigint - 10, 0)
            )
        ) e
        union all
        select found.id
        from (
            select least(:offset::bigint, counted.total) as low, least(:offset::bigint + 10, counted.total) as high
        ) as page
        cross join lateral (
            (
                select r.id
                from (select where 2 * page.high <= counted.total) taken
                left join lateral (
                    select p.created_at, p.id, (p.rows + (
                        select coalesce(sum(c.delta), 0)
                        from client_changes c
                        where c.batch_id >= counted.oldest_open_batch
                            and (c.created_at, c.id) < (p.created_at, p.id)
                    ))::bigint as rows
                    from (
                        select l.created_at, l.id, sum(l.record_count) over (order by l.created_at, l.id) - l.record_count as rows
                        from page_index l
                        where l.list = 'clients'
                    ) as p
                    where p.rows >= page.high + (
                        select count(*)
                        from client_changes c
                        where c.batch_id >= counted.oldest_open_batch
                            and c.delta < 0
                    )
                    order by p.created_at, p.id
                    limit 1
                ) place on true
                cross join lateral (
                    select r.id
                    from clients r
                    where (r.created_at, r.id) < (coalesce(place.created_at, 'infinity'), coalesce(place.id, 9223372036854775807))
                    order by r.created_at desc, r.id desc
                    limit page.high - page.low
                    offset coalesce(place.rows, counted.total) - page.high
                ) r
            )
            union all
            (
                select r.id
                from (select where 2 * page.high > counted.total) taken
                left join lateral (
                    select p.created_at, p.id, (p.rows + (
                        select coalesce(sum(c.delta), 0)
                        from client_changes c
                        where c.batch_id >= counted.oldest_open_batch
                            and (c.created_at, c.id) >= (p.created_at, p.id)
                    ))::bigint as rows
                    from (
                        select l.created_at, l.id, sum(l.record_count) over (order by l.created_at desc, l.id desc) as rows
                        from page_index l
                        where l.list = 'clients'
                    ) as p
                    where p.rows >= counted.total - page.low + (
                        select count(*)
                        from client_changes c
                        where c.batch_id >= counted.oldest_open_batch
                            and c.delta < 0
                    )
                    order by p.created_at desc, p.id desc
                    limit 1
                ) place on true
                cross join lateral (
                    select r.id
                    from clients r
                    where (r.created_at, r.id) >= (coalesce(place.created_at, '-infinity'), coalesce(place.id, 0))
                    order by r.created_at, r.id
                    limit page.high - page.low
                    offset coalesce(place.rows, counted.total) - (counted.total - page.low)
                ) r
            )
        ) found
        where :offset::bigint > 1000
            and counted.total - :offset::bigint > 1000
    ) u
    limit 10
) page on true
left join clients r on r.id = page.id
order by r.created_at, r.id;
