-- /rest/invoice-items?fields=name&page=3
-- page by number; rows: seek in the page index; total: sum the rollup; parameters: $1 :offset
select counted.total, r.id, r.id, r.version, r.name
from (
    select ((
        select coalesce(sum(t.line_count), 0)
        from invoice_totals t
        where t.user_id = 0
            and t.paid_month = 0
            and t.month = 0
    ) + (
        select coalesce(sum(t.delta * cardinality(t.line_ids)), 0)
        from invoice_changes t
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
                select r.id, r.id as key
                from invoice_lines r
                where :offset::bigint <= 1000
                order by r.id
                limit 20
                offset :offset::bigint
            )
            union all
            (
                select r.id, r.id as key
                from invoice_lines r
                where :offset::bigint > 1000
                    and counted.total - :offset::bigint <= 1000
                order by r.id desc
                limit least(20, greatest(counted.total - :offset::bigint, 0))
                offset greatest(counted.total - :offset::bigint - 20, 0)
            )
        ) e
        union all
        select found.id
        from (
            select least(:offset::bigint, counted.total) as low, least(:offset::bigint + 20, counted.total) as high
        ) as page
        cross join lateral (
            (
                select r.id
                from (select where 2 * page.high <= counted.total) taken
                left join lateral (
                    select p.created_at, p.id, (p.rows + (
                        select coalesce(sum(c.delta), 0)
                        from (
                            select t.batch_id, t.delta, '-infinity'::timestamptz as created_at, l.id
                            from invoice_changes t
                            cross join lateral unnest(t.line_ids) l (id)
                        ) c
                        where c.batch_id >= counted.oldest_open_batch
                            and (c.created_at, c.id) < (p.created_at, p.id)
                    ))::bigint as rows
                    from (
                        select l.created_at, l.id, sum(l.record_count) over (order by l.created_at, l.id) - l.record_count as rows
                        from page_index l
                        where l.list = 'invoice_lines'
                    ) as p
                    where p.rows >= page.high + (
                        select count(*)
                        from (
                            select t.batch_id, t.delta, '-infinity'::timestamptz as created_at, l.id
                            from invoice_changes t
                            cross join lateral unnest(t.line_ids) l (id)
                        ) c
                        where c.batch_id >= counted.oldest_open_batch
                            and c.delta < 0
                    )
                    order by p.created_at, p.id
                    limit 1
                ) place on true
                cross join lateral (
                    select r.id
                    from invoice_lines r
                    where r.id < coalesce(place.id, 9223372036854775807)
                    order by r.id desc
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
                        from (
                            select t.batch_id, t.delta, '-infinity'::timestamptz as created_at, l.id
                            from invoice_changes t
                            cross join lateral unnest(t.line_ids) l (id)
                        ) c
                        where c.batch_id >= counted.oldest_open_batch
                            and (c.created_at, c.id) >= (p.created_at, p.id)
                    ))::bigint as rows
                    from (
                        select l.created_at, l.id, sum(l.record_count) over (order by l.created_at desc, l.id desc) as rows
                        from page_index l
                        where l.list = 'invoice_lines'
                    ) as p
                    where p.rows >= counted.total - page.low + (
                        select count(*)
                        from (
                            select t.batch_id, t.delta, '-infinity'::timestamptz as created_at, l.id
                            from invoice_changes t
                            cross join lateral unnest(t.line_ids) l (id)
                        ) c
                        where c.batch_id >= counted.oldest_open_batch
                            and c.delta < 0
                    )
                    order by p.created_at desc, p.id desc
                    limit 1
                ) place on true
                cross join lateral (
                    select r.id
                    from invoice_lines r
                    where r.id >= coalesce(place.id, 0)
                    order by r.id
                    limit page.high - page.low
                    offset coalesce(place.rows, counted.total) - (counted.total - page.low)
                ) r
            )
        ) found
        where :offset::bigint > 1000
            and counted.total - :offset::bigint > 1000
    ) u
    limit 20
) page on true
left join invoice_lines r on r.id = page.id
order by r.id;
