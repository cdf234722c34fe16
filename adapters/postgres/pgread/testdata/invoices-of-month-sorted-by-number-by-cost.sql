-- /rest/invoice?fields=number&year=2022&month=3&sort=number
-- first page; rows: by cost; total: sum the rollup; parameters: $1 :month_from, $2 :month_to
select counted.total, r.number_key, r.id, r.version, r.number
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
    ))::bigint as total, m.oldest_open_batch, (
        select coalesce(sum(l.record_count), 0)
        from page_index l
        where l.list = 'invoices'
    ) as list_size
    from read_model_state m
    where m.id = 1
        and m.lists_ready
    offset 0
) as counted
left join lateral (
    select u.id
    from (
        (
            select r.id, r.number_key as key
            from (
                select r.*
                from invoices r
                where r.month between :month_from and :month_to
                    and not (counted.total::numeric * counted.total > counted.list_size * 20)
                offset 0
            ) as r
            order by r.number_key, r.id
            limit 20
        )
        union all
        (
            select r.id, r.number_key as key
            from invoices r
            where r.month between :month_from and :month_to
                and counted.total::numeric * counted.total > counted.list_size * 20
            order by r.number_key, r.id
            limit 20
        )
    ) u
    limit 20
) page on true
left join invoices r on r.id = page.id
order by r.number_key, r.id;
