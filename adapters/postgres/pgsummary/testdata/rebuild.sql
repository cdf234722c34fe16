-- rebuild
update invoices
set paid_month = (extract(year from (paid_on at time zone current_setting('timezone'))) * 12 + extract(month from (paid_on at time zone current_setting('timezone'))) - 1)::integer
where paid_month is distinct from (extract(year from (paid_on at time zone current_setting('timezone'))) * 12 + extract(month from (paid_on at time zone current_setting('timezone'))) - 1)::integer;

-- rebuild
lock table change_batches in exclusive mode;

-- rebuild
delete from client_changes;

-- rebuild
delete from deal_changes;

-- rebuild
delete from offer_changes;

-- rebuild
delete from contract_changes;

-- rebuild
delete from invoice_changes;

-- rebuild
delete from client_totals;

-- rebuild
insert into client_totals as t (user_id, type, record_count)
select user_id, type, record_count
from (
    select coalesce(user_id, 0) as user_id, type, sum(record_count)::bigint as record_count
    from (
        select user_id, type, sum(delta) as record_count
        from (
            select 1 as delta, r.user_id, r.type
            from clients r
        ) e
        group by user_id, type
    ) g
    group by type, grouping sets ((), (user_id))
) s
where record_count <> 0;

-- rebuild
delete from deal_totals;

-- rebuild
insert into deal_totals as t (user_id, type_id, status_id, record_count)
select user_id, type_id, status_id, record_count
from (
    select coalesce(user_id, 0) as user_id, type_id, status_id, sum(record_count)::bigint as record_count
    from (
        select user_id, coalesce(type_id, 0) as type_id, status_id, sum(delta) as record_count
        from (
            select 1 as delta, r.client_id, r.user_id, r.type_id, r.status_id
            from deals r
        ) e
        group by user_id, coalesce(type_id, 0), status_id
    ) g
    group by type_id, status_id, grouping sets ((), (user_id))
) s
where record_count <> 0;

-- rebuild
delete from invoice_totals;

-- rebuild
insert into invoice_totals as t (user_id, paid_month, month, type_id, status, record_count, line_count)
select user_id, paid_month, month, type_id, status, record_count, line_count
from (
    select coalesce(user_id, 0) as user_id, coalesce(paid_month, 0) as paid_month, coalesce(month, 0) as month, type_id, status, sum(record_count)::bigint as record_count, sum(line_count)::bigint as line_count
    from (
        select user_id, coalesce(paid_month, -1) as paid_month, month, type_id, status, sum(delta) as record_count, sum(delta * line_count) as line_count
        from (
            select 1 as delta, r.client_id, r.user_id, r.type_id, r.status, r.month, r.paid_month, r.total_count as line_count
            from invoices r
        ) e
        group by user_id, coalesce(paid_month, -1), month, type_id, status
    ) g
    group by type_id, status, grouping sets ((), (user_id), (paid_month), (user_id, paid_month), (month), (user_id, month), (paid_month, month))
) s
where record_count <> 0 or line_count <> 0;

-- rebuild
delete from client_counts;

-- rebuild
insert into client_counts as t (client_id, deals, offers, contracts, invoices)
select client_id, deals, offers, contracts, invoices
from (
    select coalesce(client_id, 0) as client_id, sum(deals)::bigint as deals, sum(offers)::bigint as offers, sum(contracts)::bigint as contracts, sum(invoices)::bigint as invoices
    from (
        select client_id, sum(delta) as deals, 0 as offers, 0 as contracts, 0 as invoices
        from (
            select 1 as delta, r.client_id, r.user_id, r.type_id, r.status_id
            from deals r
        ) e
        group by client_id
        union all
        select client_id, 0 as deals, sum(delta) as offers, 0 as contracts, 0 as invoices
        from (
            select 1 as delta, d.client_id
            from offers r join deals d on d.id = r.deal_id
        ) e
        group by client_id
        union all
        select client_id, 0 as deals, 0 as offers, sum(delta) as contracts, 0 as invoices
        from (
            select 1 as delta, d.client_id
            from contracts r join deals d on d.id = r.deal_id
        ) e
        group by client_id
        union all
        select client_id, 0 as deals, 0 as offers, 0 as contracts, sum(delta) as invoices
        from (
            select 1 as delta, r.client_id, r.user_id, r.type_id, r.status, r.month, r.paid_month, r.total_count as line_count
            from invoices r
        ) e
        group by client_id
    ) a
    group by grouping sets ((client_id), ())
    having client_id is not null or grouping(client_id) = 1
) s
where deals <> 0 or offers <> 0 or contracts <> 0 or invoices <> 0;

-- rebuild
insert into client_search as k (id, created_at, text_key)
select r.id, r.created_at, normalize(regexp_replace(normalize(r.name_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc)
from clients r
left join client_search s on s.id = r.id
where s.id is null or s.text_key <> normalize(regexp_replace(normalize(r.name_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc) or s.created_at <> r.created_at
on conflict (id) do update
set created_at = excluded.created_at, text_key = excluded.text_key;

-- rebuild
delete from client_search s
where not exists (select from clients r where r.id = s.id);

-- rebuild
insert into deal_search as k (id, created_at, text_key)
select r.id, r.created_at, normalize(regexp_replace(normalize(r.name_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc)
from deals r
left join deal_search s on s.id = r.id
where s.id is null or s.text_key <> normalize(regexp_replace(normalize(r.name_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc) or s.created_at <> r.created_at
on conflict (id) do update
set created_at = excluded.created_at, text_key = excluded.text_key;

-- rebuild
delete from deal_search s
where not exists (select from deals r where r.id = s.id);

-- rebuild
insert into offer_search as k (id, created_at, text_key)
select r.id, r.created_on, normalize(regexp_replace(normalize(r.number_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc)
from offers r
left join offer_search s on s.id = r.id
where s.id is null or s.text_key <> normalize(regexp_replace(normalize(r.number_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc) or s.created_at <> r.created_on
on conflict (id) do update
set created_at = excluded.created_at, text_key = excluded.text_key;

-- rebuild
delete from offer_search s
where not exists (select from offers r where r.id = s.id);

-- rebuild
insert into contract_search as k (id, created_at, text_key)
select r.id, r.created_on, normalize(regexp_replace(normalize(r.number_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc)
from contracts r
left join contract_search s on s.id = r.id
where s.id is null or s.text_key <> normalize(regexp_replace(normalize(r.number_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc) or s.created_at <> r.created_on
on conflict (id) do update
set created_at = excluded.created_at, text_key = excluded.text_key;

-- rebuild
delete from contract_search s
where not exists (select from contracts r where r.id = s.id);

-- rebuild
insert into invoice_search as k (id, created_at, text_key)
select r.id, r.created_on, normalize(regexp_replace(normalize(r.number_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc)
from invoices r
left join invoice_search s on s.id = r.id
where s.id is null or s.text_key <> normalize(regexp_replace(normalize(r.number_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc) or s.created_at <> r.created_on
on conflict (id) do update
set created_at = excluded.created_at, text_key = excluded.text_key;

-- rebuild
delete from invoice_search s
where not exists (select from invoices r where r.id = s.id);

-- rebuild
update read_model_state set is_ready = true;
