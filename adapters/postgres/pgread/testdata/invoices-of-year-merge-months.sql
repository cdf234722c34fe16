-- /rest/invoice?fields=number&year=2022
-- first page; rows: merge months; total: sum the rollup; parameters: $1 :month_from, $2 :month_to
select counted.total, r.created_on, r.id, r.version, r.number
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from invoice_totals t
        where t.month > 0
            and t.month between :month_from and :month_to
            and t.user_id = 0
            and t.paid_month = 0
    ) + (
        select coalesce(sum(t.delta), 0)
        from invoice_changes t
        where t.batch_id >= m.oldest_open_batch
            and t.month > 0
            and t.month between :month_from and :month_to
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
            select generate_series(:month_from::integer, :month_to::integer) as number
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
