-- /rest/invoice?fields=number&year=2022&user_id=1
-- first page; merge runs; $1 = 24264, $2 = 24275, $3 = 1, $4 = 24264, $5 = 24275, $6 = 1, $7 = 24264, $8 = 24275, $9 = 24264, $10 = 24275, $11 = 1
select counted.total, r.created_on, r.id, r.version, r.number
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from invoice_totals t
        where t.month > 0
            and t.month between $1 and $2
            and t.user_id = $3
            and t.paid_month = 0
    ) + (
        select coalesce(sum(t.delta), 0)
        from invoice_changes t
        where t.month > 0
            and t.month between $4 and $5
            and t.user_id = $6
            and t.batch_id >= m.oldest_open_batch
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (
    select u.id
    from (
        select r.id, r.key
        from (select generate_series($7::integer, $8::integer) as value) run
        cross join lateral (
            select r.id, r.created_on as key
            from invoices r
            where r.month = run.value
                and r.month between $9 and $10
                and r.user_id = $11
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
