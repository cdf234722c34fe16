-- /rest/invoice-items?fields=name&page=3
-- page by number; scan in order; $1 = 40, $2 = 40, $3 = 40, $4 = 40, $5 = 40
select counted.total, r.id, r.id, r.version, r.name
from (
    select ((
        select coalesce(sum(t.line_count), 0)
        from invoice_totals t
        where t.user_id = 0
            and t.paid_month = 0
            and t.month = 0
    ) + (
        select coalesce(sum(t.delta * t.line_count), 0)
        from invoice_changes t
        where t.batch_id >= m.oldest_open_batch
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (
    select u.id
    from (
        (
            select r.id, r.id as key
            from invoice_lines r
            where counted.total >= 2 * $1::bigint
            order by r.id
            limit 20
            offset $2::bigint
        )
        union all
        (
            select r.id, r.id as key
            from invoice_lines r
            where counted.total < 2 * $3::bigint
            order by r.id desc
            limit least(20, greatest(counted.total - $4::bigint, 0))
            offset greatest(counted.total - $5::bigint - 20, 0)
        )
    ) u
    limit 20
) page on true
left join invoice_lines r on r.id = page.id
order by r.id;
