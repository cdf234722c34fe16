-- /rest/invoice?fields=number&year=2022&page=3
-- page by number; merge runs; $1 = 24264, $2 = 24275, $3 = 24264, $4 = 24275, $5 = 24264, $6 = 24275, $7 = 24264, $8 = 24275, $9 = 40, $10 = 40, $11 = 40, $12 = 24264, $13 = 24275, $14 = 24264, $15 = 24275, $16 = 40, $17 = 40, $18 = 40, $19 = 40
select counted.total, r.created_on, r.id, r.version, r.number
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from invoice_totals t
        where t.month > 0
            and t.month between $1 and $2
            and t.user_id = 0
            and t.paid_month = 0
    ) + (
        select coalesce(sum(t.delta), 0)
        from invoice_changes t
        where t.month > 0
            and t.month between $3 and $4
            and t.batch_id >= m.oldest_open_batch
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (
    select u.id
    from (
        (
            select r.id, r.key
            from (select generate_series($5::integer, $6::integer) as value) run
            cross join (values (1), (2), (3), (4)) part (value)
            cross join lateral (
                select r.id, r.created_on as key
                from invoices r
                where r.month = run.value
                    and r.status = part.value
                    and r.month between $7 and $8
                    and counted.total >= 2 * $9::bigint
                order by r.created_on desc, r.id desc
                limit ($10::bigint + 20)
            ) r
            order by r.key desc, r.id desc
            limit 20
            offset $11::bigint
        )
        union all
        (
            select r.id, r.key
            from (select generate_series($12::integer, $13::integer) as value) run
            cross join (values (1), (2), (3), (4)) part (value)
            cross join lateral (
                select r.id, r.created_on as key
                from invoices r
                where r.month = run.value
                    and r.status = part.value
                    and r.month between $14 and $15
                    and counted.total < 2 * $16::bigint
                order by r.created_on, r.id
                limit greatest(counted.total - $17::bigint, 0)
            ) r
            order by r.key, r.id
            limit least(20, greatest(counted.total - $18::bigint, 0))
            offset greatest(counted.total - $19::bigint - 20, 0)
        )
    ) u
    limit 20
) page on true
left join invoices r on r.id = page.id
order by r.created_on desc, r.id desc;
