-- the open batches
select
    coalesce(b.oldest < b.newest, false),
    b.oldest is null or b.oldest < b.newest or exists (select from client_changes where batch_id >= b.oldest) or exists (select from deal_changes where batch_id >= b.oldest) or exists (select from offer_changes where batch_id >= b.oldest) or exists (select from contract_changes where batch_id >= b.oldest) or exists (select from invoice_changes where batch_id >= b.oldest),
    exists (select from change_batches where id = b.newest and opened_at between clock_timestamp() - $1::interval and clock_timestamp())
from (select min(id) as oldest, max(id) as newest from change_batches) b;

-- fold the batch $1
insert into client_totals as t (user_id, type, record_count)
select user_id, type, record_count
from (
    select coalesce(user_id, 0) as user_id, type, sum(record_count)::bigint as record_count
    from (
        select user_id, type, sum(delta) as record_count
        from (
            select delta, user_id, type
            from client_changes
            where batch_id = $1
        ) e
        group by user_id, type
    ) g
    group by type, grouping sets ((), (user_id))
) s
where record_count <> 0
on conflict (user_id, type) do update
set record_count = t.record_count + excluded.record_count;

-- fold the batch $1
insert into deal_totals as t (user_id, type_id, status_id, record_count)
select user_id, type_id, status_id, record_count
from (
    select coalesce(user_id, 0) as user_id, type_id, status_id, sum(record_count)::bigint as record_count
    from (
        select user_id, coalesce(type_id, 0) as type_id, status_id, sum(delta) as record_count
        from (
            select delta, client_id, user_id, type_id, status_id
            from deal_changes
            where batch_id = $1
        ) e
        group by user_id, coalesce(type_id, 0), status_id
    ) g
    group by type_id, status_id, grouping sets ((), (user_id))
) s
where record_count <> 0
on conflict (user_id, type_id, status_id) do update
set record_count = t.record_count + excluded.record_count;

-- fold the batch $1
insert into invoice_totals as t (user_id, paid_month, month, type_id, status, record_count, line_count)
select user_id, paid_month, month, type_id, status, record_count, line_count
from (
    select coalesce(user_id, 0) as user_id, coalesce(paid_month, 0) as paid_month, coalesce(month, 0) as month, type_id, status, sum(record_count)::bigint as record_count, sum(line_count)::bigint as line_count
    from (
        select user_id, coalesce(paid_month, -1) as paid_month, month, type_id, status, sum(delta) as record_count, sum(delta * line_count) as line_count
        from (
            select delta, client_id, user_id, type_id, status, month, paid_month, line_count
            from invoice_changes
            where batch_id = $1
        ) e
        group by user_id, coalesce(paid_month, -1), month, type_id, status
    ) g
    group by type_id, status, grouping sets ((), (user_id), (paid_month), (user_id, paid_month), (month), (user_id, month), (paid_month, month))
) s
where record_count <> 0 or line_count <> 0
on conflict (user_id, paid_month, month, type_id, status) do update
set record_count = t.record_count + excluded.record_count, line_count = t.line_count + excluded.line_count;

-- fold the batch $1
insert into client_counts as t (client_id, deals, offers, contracts, invoices)
select client_id, deals, offers, contracts, invoices
from (
    select coalesce(client_id, 0) as client_id, sum(deals)::bigint as deals, sum(offers)::bigint as offers, sum(contracts)::bigint as contracts, sum(invoices)::bigint as invoices
    from (
        select client_id, sum(delta) as deals, 0 as offers, 0 as contracts, 0 as invoices
        from (
            select delta, client_id, user_id, type_id, status_id
            from deal_changes
            where batch_id = $1
        ) e
        group by client_id
        union all
        select client_id, 0 as deals, sum(delta) as offers, 0 as contracts, 0 as invoices
        from (
            select delta, client_id
            from offer_changes
            where batch_id = $1
        ) e
        group by client_id
        union all
        select client_id, 0 as deals, 0 as offers, sum(delta) as contracts, 0 as invoices
        from (
            select delta, client_id
            from contract_changes
            where batch_id = $1
        ) e
        group by client_id
        union all
        select client_id, 0 as deals, 0 as offers, 0 as contracts, sum(delta) as invoices
        from (
            select delta, client_id, user_id, type_id, status, month, paid_month, line_count
            from invoice_changes
            where batch_id = $1
        ) e
        group by client_id
    ) a
    group by grouping sets ((client_id), ())
    having client_id is not null or grouping(client_id) = 1
) s
where deals <> 0 or offers <> 0 or contracts <> 0 or invoices <> 0
on conflict (client_id) do update
set deals = t.deals + excluded.deals, offers = t.offers + excluded.offers, contracts = t.contracts + excluded.contracts, invoices = t.invoices + excluded.invoices;

-- fold the batch $1
delete from client_changes where batch_id = $1;

-- fold the batch $1
delete from deal_changes where batch_id = $1;

-- fold the batch $1
delete from offer_changes where batch_id = $1;

-- fold the batch $1
delete from contract_changes where batch_id = $1;

-- fold the batch $1
delete from invoice_changes where batch_id = $1;

-- fold the batch $1
delete from change_batches where id = $1;

-- fold the batch $1
update read_model_state set oldest_open_batch = (select min(id) from change_batches where id > $1);
