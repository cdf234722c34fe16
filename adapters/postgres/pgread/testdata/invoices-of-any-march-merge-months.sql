-- /rest/invoice?fields=number&month=3
-- first page; merge runs; $1 = 2, $2 = 2, $3 = 2, $4 = 2, $5 = 2
select counted.total, r.created_on, r.id, r.version, r.number
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from invoice_totals t
        where t.month > 0
            and mod(t.month, 12) = $1
            and t.user_id = 0
            and t.paid_month = 0
    ) + (
        select coalesce(sum(t.delta), 0)
        from invoice_changes t
        where t.month > 0
            and mod(t.month, 12) = $2
            and t.batch_id >= m.oldest_open_batch
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (
    select u.id
    from (
        select r.id, r.key
        from (
            with recursive y (value) as (
                select x.month + mod($3::integer - mod(x.month, 12) + 12, 12)
                from (
                    select x.month
                    from invoices x
                    where x.month > 0
                    order by x.month
                    limit 1
                ) x
                union all
                select x.month + mod($4::integer - mod(x.month, 12) + 12, 12)
                from y
                cross join lateral (
                    select x.month
                    from invoices x
                    where x.month > y.value
                    order by x.month
                    limit 1
                ) x
            )
            select y.value
            from y
        ) run
        cross join (values (1), (2), (3), (4)) part (value)
        cross join lateral (
            select r.id, r.created_on as key
            from invoices r
            where r.month = run.value
                and r.status = part.value
                and mod(r.month, 12) = $5
            order by r.created_on desc, r.id desc
            limit 20
        ) r
        order by r.key desc, r.id desc
        limit 20
    ) u
    limit 20
) page on true
left join invoices r on r.id = page.id
order by r.created_on desc, r.id desc;
