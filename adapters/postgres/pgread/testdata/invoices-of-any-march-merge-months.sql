-- /rest/invoice?fields=number&month=3
-- first page; rows: merge months; total: sum the rollup; parameters: $1 :month_of_any_year
select counted.total, r.created_on, r.id, r.version, r.number
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from invoice_totals t
        where t.month > 0
            and mod(t.month, 12) = :month_of_any_year
            and t.user_id = 0
            and t.paid_month = 0
    ) + (
        select coalesce(sum(t.delta), 0)
        from invoice_changes t
        where t.batch_id >= m.oldest_open_batch
            and t.month > 0
            and mod(t.month, 12) = :month_of_any_year
    ))::bigint as total, m.oldest_open_batch
    from read_model_state m
    where m.id = 1
        and m.lists_ready
    offset 0
) as counted
left join lateral (
    select u.id
    from (
        select r.id, r.key
        from (
            with recursive y (number) as (
                select x.month + mod(:month_of_any_year::integer - mod(x.month, 12) + 12, 12)
                from (
                    select x.month
                    from invoices x
                    where x.month > 0
                    order by x.month
                    limit 1
                ) x
                union all
                select x.month + mod(:month_of_any_year::integer - mod(x.month, 12) + 12, 12)
                from y
                cross join lateral (
                    select x.month
                    from invoices x
                    where x.month > y.number
                    order by x.month
                    limit 1
                ) x
            )
            select y.number
            from y
        ) as month
        cross join (values (1), (2), (3), (4)) part (value)
        cross join lateral (
            select r.id, r.created_on as key
            from invoices r
            where r.month = month.number
                and r.status = part.value
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
