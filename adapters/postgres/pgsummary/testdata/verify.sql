-- differences of client_totals
select key, stored, expected, count(*) over () as found
from (
    select
        concat_ws(', ', 'user_id ' || user_id, 'type ' || type) as key,
        concat_ws(', ', 'record_count ' || coalesce(s.record_count, 0)) as stored,
        concat_ws(', ', 'record_count ' || coalesce(e.record_count, 0)) as expected
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
    ) e
    full join (
        select user_id, type, sum(record_count) as record_count
        from (
            select user_id, type, record_count
            from client_totals
            union all
            select user_id, type, record_count
            from (
                select coalesce(user_id, 0) as user_id, type, sum(record_count)::bigint as record_count
                from (
                    select user_id, type, sum(delta) as record_count
                    from (
                        select delta, user_id, type
                        from client_changes
                        where batch_id >= $1
                    ) e
                    group by user_id, type
                ) g
                group by type, grouping sets ((), (user_id))
            ) o
        ) b
        group by user_id, type
    ) s using (user_id, type)
    where coalesce(s.record_count, 0) <> coalesce(e.record_count, 0)
) d
order by key
limit $2;

-- differences of deal_totals
select key, stored, expected, count(*) over () as found
from (
    select
        concat_ws(', ', 'user_id ' || user_id, 'type_id ' || type_id, 'status_id ' || status_id) as key,
        concat_ws(', ', 'record_count ' || coalesce(s.record_count, 0)) as stored,
        concat_ws(', ', 'record_count ' || coalesce(e.record_count, 0)) as expected
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
    ) e
    full join (
        select user_id, type_id, status_id, sum(record_count) as record_count
        from (
            select user_id, type_id, status_id, record_count
            from deal_totals
            union all
            select user_id, type_id, status_id, record_count
            from (
                select coalesce(user_id, 0) as user_id, type_id, status_id, sum(record_count)::bigint as record_count
                from (
                    select user_id, coalesce(type_id, 0) as type_id, status_id, sum(delta) as record_count
                    from (
                        select delta, client_id, user_id, type_id, status_id
                        from deal_changes
                        where batch_id >= $1
                    ) e
                    group by user_id, coalesce(type_id, 0), status_id
                ) g
                group by type_id, status_id, grouping sets ((), (user_id))
            ) o
        ) b
        group by user_id, type_id, status_id
    ) s using (user_id, type_id, status_id)
    where coalesce(s.record_count, 0) <> coalesce(e.record_count, 0)
) d
order by key
limit $2;

-- differences of invoice_totals
select key, stored, expected, count(*) over () as found
from (
    select
        concat_ws(', ', 'user_id ' || user_id, 'paid_month ' || paid_month, 'month ' || month, 'type_id ' || type_id, 'status ' || status) as key,
        concat_ws(', ', 'record_count ' || coalesce(s.record_count, 0), 'line_count ' || coalesce(s.line_count, 0)) as stored,
        concat_ws(', ', 'record_count ' || coalesce(e.record_count, 0), 'line_count ' || coalesce(e.line_count, 0)) as expected
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
    ) e
    full join (
        select user_id, paid_month, month, type_id, status, sum(record_count) as record_count, sum(line_count) as line_count
        from (
            select user_id, paid_month, month, type_id, status, record_count, line_count
            from invoice_totals
            union all
            select user_id, paid_month, month, type_id, status, record_count, line_count
            from (
                select coalesce(user_id, 0) as user_id, coalesce(paid_month, 0) as paid_month, coalesce(month, 0) as month, type_id, status, sum(record_count)::bigint as record_count, sum(line_count)::bigint as line_count
                from (
                    select user_id, coalesce(paid_month, -1) as paid_month, month, type_id, status, sum(delta) as record_count, sum(delta * line_count) as line_count
                    from (
                        select delta, client_id, user_id, type_id, status, month, paid_month, line_count
                        from invoice_changes
                        where batch_id >= $1
                    ) e
                    group by user_id, coalesce(paid_month, -1), month, type_id, status
                ) g
                group by type_id, status, grouping sets ((), (user_id), (paid_month), (user_id, paid_month), (month), (user_id, month), (paid_month, month))
            ) o
        ) b
        group by user_id, paid_month, month, type_id, status
    ) s using (user_id, paid_month, month, type_id, status)
    where coalesce(s.record_count, 0) <> coalesce(e.record_count, 0) or coalesce(s.line_count, 0) <> coalesce(e.line_count, 0)
) d
order by key
limit $2;

-- differences of client_counts
select key, stored, expected, count(*) over () as found
from (
    select
        concat_ws(', ', 'client_id ' || client_id) as key,
        concat_ws(', ', 'deals ' || coalesce(s.deals, 0), 'offers ' || coalesce(s.offers, 0), 'contracts ' || coalesce(s.contracts, 0), 'invoices ' || coalesce(s.invoices, 0)) as stored,
        concat_ws(', ', 'deals ' || coalesce(e.deals, 0), 'offers ' || coalesce(e.offers, 0), 'contracts ' || coalesce(e.contracts, 0), 'invoices ' || coalesce(e.invoices, 0)) as expected
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
    ) e
    full join (
        select client_id, sum(deals) as deals, sum(offers) as offers, sum(contracts) as contracts, sum(invoices) as invoices
        from (
            select client_id, deals, offers, contracts, invoices
            from client_counts
            union all
            select client_id, deals, offers, contracts, invoices
            from (
                select coalesce(client_id, 0) as client_id, sum(deals)::bigint as deals, sum(offers)::bigint as offers, sum(contracts)::bigint as contracts, sum(invoices)::bigint as invoices
                from (
                    select client_id, sum(delta) as deals, 0 as offers, 0 as contracts, 0 as invoices
                    from (
                        select delta, client_id, user_id, type_id, status_id
                        from deal_changes
                        where batch_id >= $1
                    ) e
                    group by client_id
                    union all
                    select client_id, 0 as deals, sum(delta) as offers, 0 as contracts, 0 as invoices
                    from (
                        select delta, client_id
                        from offer_changes
                        where batch_id >= $1
                    ) e
                    group by client_id
                    union all
                    select client_id, 0 as deals, 0 as offers, sum(delta) as contracts, 0 as invoices
                    from (
                        select delta, client_id
                        from contract_changes
                        where batch_id >= $1
                    ) e
                    group by client_id
                    union all
                    select client_id, 0 as deals, 0 as offers, 0 as contracts, sum(delta) as invoices
                    from (
                        select delta, client_id, user_id, type_id, status, month, paid_month, line_count
                        from invoice_changes
                        where batch_id >= $1
                    ) e
                    group by client_id
                ) a
                group by grouping sets ((client_id), ())
                having client_id is not null or grouping(client_id) = 1
            ) o
        ) b
        group by client_id
    ) s using (client_id)
    where coalesce(s.deals, 0) <> coalesce(e.deals, 0) or coalesce(s.offers, 0) <> coalesce(e.offers, 0) or coalesce(s.contracts, 0) <> coalesce(e.contracts, 0) or coalesce(s.invoices, 0) <> coalesce(e.invoices, 0)
) d
order by key
limit $2;

-- differences of client_search
select key, stored, expected, count(*) over () as found
from (
    select
        'id ' || id as key, coalesce(s.text_key || ' of ' || s.created_at, 'nothing') as stored,
        coalesce(normalize(regexp_replace(normalize(r.name_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc) || ' of ' || r.created_at, 'nothing') as expected
    from clients r
    full join client_search s using (id)
    where s.text_key is distinct from normalize(regexp_replace(normalize(r.name_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc) or s.created_at is distinct from r.created_at
) d
order by key
limit $1;

-- differences of deal_search
select key, stored, expected, count(*) over () as found
from (
    select
        'id ' || id as key, coalesce(s.text_key || ' of ' || s.created_at, 'nothing') as stored,
        coalesce(normalize(regexp_replace(normalize(r.name_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc) || ' of ' || r.created_at, 'nothing') as expected
    from deals r
    full join deal_search s using (id)
    where s.text_key is distinct from normalize(regexp_replace(normalize(r.name_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc) or s.created_at is distinct from r.created_at
) d
order by key
limit $1;

-- differences of offer_search
select key, stored, expected, count(*) over () as found
from (
    select
        'id ' || id as key, coalesce(s.text_key || ' of ' || s.created_at, 'nothing') as stored,
        coalesce(normalize(regexp_replace(normalize(r.number_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc) || ' of ' || r.created_on, 'nothing') as expected
    from offers r
    full join offer_search s using (id)
    where s.text_key is distinct from normalize(regexp_replace(normalize(r.number_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc) or s.created_at is distinct from r.created_on
) d
order by key
limit $1;

-- differences of contract_search
select key, stored, expected, count(*) over () as found
from (
    select
        'id ' || id as key, coalesce(s.text_key || ' of ' || s.created_at, 'nothing') as stored,
        coalesce(normalize(regexp_replace(normalize(r.number_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc) || ' of ' || r.created_on, 'nothing') as expected
    from contracts r
    full join contract_search s using (id)
    where s.text_key is distinct from normalize(regexp_replace(normalize(r.number_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc) or s.created_at is distinct from r.created_on
) d
order by key
limit $1;

-- differences of invoice_search
select key, stored, expected, count(*) over () as found
from (
    select
        'id ' || id as key, coalesce(s.text_key || ' of ' || s.created_at, 'nothing') as stored,
        coalesce(normalize(regexp_replace(normalize(r.number_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc) || ' of ' || r.created_on, 'nothing') as expected
    from invoices r
    full join invoice_search s using (id)
    where s.text_key is distinct from normalize(regexp_replace(normalize(r.number_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc) or s.created_at is distinct from r.created_on
) d
order by key
limit $1;

-- differences of invoices
select key, stored, expected, count(*) over () as found
from (
    select
        'paid_month of id ' || id as key, coalesce(paid_month::text, 'nothing') as stored,
        coalesce((extract(year from (paid_on at time zone $1)) * 12 + extract(month from (paid_on at time zone $1)) - 1)::integer::text, 'nothing') as expected
    from invoices
    where paid_month is distinct from (extract(year from (paid_on at time zone $1)) * 12 + extract(month from (paid_on at time zone $1)) - 1)::integer
) d
order by key
limit $2;
