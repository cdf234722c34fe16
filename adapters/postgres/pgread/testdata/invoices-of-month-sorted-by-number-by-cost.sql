-- /rest/invoice?fields=number&year=2022&month=3&sort=number
-- first page; by cost; $1 = 24266, $2 = 24266, $3 = 24266, $4 = 24266, $5 = 24266, $6 = 24266, $7 = 24266, $8 = 24266
select counted.total, r.number_key, r.id, r.version, r.number
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
    ))::bigint as total, (
        select coalesce(sum(t.record_count), 0)
        from invoice_totals t
        where t.user_id = 0
            and t.paid_month = 0
            and t.month = 0
    ) as list_size
    from read_model_state m
    offset 0
) counted
left join lateral (
    select u.id
    from (
        (
            select r.id, r.number_key as key
            from (
                select r.*
                from invoices r
                where r.month between $5 and $6
                    and not (counted.total::numeric * counted.total > counted.list_size * 20)
                offset 0
            ) r
            order by r.number_key, r.id
            limit 20
        )
        union all
        (
            select r.id, r.number_key as key
            from invoices r
            where r.month between $7 and $8
                and counted.total::numeric * counted.total > counted.list_size * 20
            order by r.number_key, r.id
            limit 20
        )
    ) u
    limit 20
) page on true
left join invoices r on r.id = page.id
order by r.number_key, r.id;
