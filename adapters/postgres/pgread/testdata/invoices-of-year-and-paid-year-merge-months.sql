-- /rest/invoice?fields=number&year=2022&paid_year=2022
-- first page; rows: merge months; total: sum the rollup; parameters: $1 :paid_month_from, $2 :paid_month_to, $3 :month_from, $4 :month_to
select counted.total, r.created_on, r.id, r.version, r.number
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from invoice_totals t
        where t.paid_month > 0
            and t.paid_month between :paid_month_from and :paid_month_to
            and t.month > 0
            and t.month between :month_from and :month_to
            and t.user_id = 0
    ) + (
        select coalesce(sum(t.delta), 0)
        from invoice_changes t
        where t.batch_id >= m.oldest_open_batch
            and t.paid_month > 0
            and t.paid_month between :paid_month_from and :paid_month_to
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
            select generate_series(:paid_month_from::integer, :paid_month_to::integer) as number
        ) as month
        cross join (
            select generate_series(:month_from::integer, :month_to::integer) as number
        ) other
        cross join lateral (
            select r.id, r.created_on as key
            from invoices r
            where r.paid_month = month.number
                and r.month = other.number
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
