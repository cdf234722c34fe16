-- /rest/invoice?fields=number&year=2022
-- first page; merge runs; $1 = 24264, $2 = 24275, $3 = 24264, $4 = 24275, $5 = 24264, $6 = 24275, $7 = 24264, $8 = 24275
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
        select r.id, r.key
        from (select generate_series($5::integer, $6::integer) as value) run
        cross join (values (1), (2), (3), (4)) part (value)
        cross join lateral (
            select r.id, r.created_on as key
            from invoices r
            where r.month = run.value
                and r.status = part.value
                and r.month between $7 and $8
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
