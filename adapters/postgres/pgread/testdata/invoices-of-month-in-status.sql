-- /rest/invoice?year=2022&month=3&status=1
-- first page; merge runs; $1 = 24266, $2 = 24266, $3 = 1, $4 = 24266, $5 = 24266, $6 = 1, $7 = 24266, $8 = 24266, $9 = 24266, $10 = 24266, $11 = 1
select counted.total, r.created_on, r.id, r.version, r.id, r.user_id, r.status in (2, 3), r.status in (3),
    r.number, r.date, r.due_date, r.discount_percent_early, r.discount_until, r.notice, r.deal_id, r.discount_percent,
    r.currency, r.exchange_rate, r.total_count, r.total_price, r.vat_price, r.pay_price, r.paid_price,
    r.waived_price, (case when r.status = 4 then 0 else r.owed_price - r.paid_price - r.waived_price end)::numeric(19, 4),
    r.created_on, r.paid_on, r.issued_on, r.credits, r.updated_on, r.updated_on, p.id, p.status, p.name,
    p.company_name, p.company_address, p.real_address, p.bank_details, p.company_details, p.leader, p.leader_rank,
    p.booker, p.phone, p.email, p.vat_use, p.vat_percent, p.stamp_file, p.leader_sig_file, p.booker_sig_file,
    p.logo, p.created_at, p.updated_at, p.ref, t.id, t.name, c.id, c.name, c.type, c.email, c.phone, u.id,
    u.username, u.fname, u.lname, u.email, r.status, s.name, r.ref
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from invoice_totals t
        where t.month > 0
            and t.month between $1 and $2
            and t.status = $3
            and t.user_id = 0
            and t.paid_month = 0
    ) + (
        select coalesce(sum(t.delta), 0)
        from invoice_changes t
        where t.month > 0
            and t.month between $4 and $5
            and t.status = $6
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
                and r.status = $11
            order by r.created_on desc, r.id desc
            limit 20
        ) r
        order by r.key desc, r.id desc
        limit 20
    ) u
    limit 20
) page on true
left join invoices r on r.id = page.id
left join performers p on p.id = r.performer_id
left join invoice_types t on t.id = r.type_id
left join clients c on c.id = r.client_id
left join users u on u.id = r.user_id
left join (values (1, 'Not paid'), (2, 'Paid'), (3, 'Closed'), (4, 'Cancelled')) s (id, name) on s.id = r.status
order by r.created_on desc, r.id desc;
