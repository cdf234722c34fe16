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
                        select t.delta, t.user_id, t.type
                        from client_changes t
                        where t.batch_id >= $1
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
        select
            coalesce(user_id, 0) as user_id,
            type_id,
            status_id,
            sum(record_count)::bigint as record_count
        from (
            select user_id, coalesce(type_id, 0) as type_id, status_id, sum(delta) as record_count
            from (
                select 1 as delta, r.user_id, r.type_id, r.status_id
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
                select
                    coalesce(user_id, 0) as user_id,
                    type_id,
                    status_id,
                    sum(record_count)::bigint as record_count
                from (
                    select user_id, coalesce(type_id, 0) as type_id, status_id, sum(delta) as record_count
                    from (
                        select t.delta, t.user_id, t.type_id, t.status_id
                        from deal_changes t
                        where t.batch_id >= $1
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
        select
            coalesce(user_id, 0) as user_id,
            coalesce(paid_month, 0) as paid_month,
            coalesce(month, 0) as month,
            type_id,
            status,
            sum(record_count)::bigint as record_count,
            sum(line_count)::bigint as line_count
        from (
            select
                user_id,
                coalesce(paid_month, -1) as paid_month,
                month,
                type_id,
                status,
                sum(delta) as record_count,
                sum(delta * line_count) as line_count
            from (
                select
                    1 as delta,
                    r.user_id,
                    r.paid_month,
                    r.month,
                    r.type_id,
                    r.status,
                    r.total_count as line_count
                from invoices r
            ) e
            group by user_id, coalesce(paid_month, -1), month, type_id, status
        ) g
        group by type_id, status, grouping sets ((), (user_id), (paid_month), (month), (user_id, paid_month), (user_id, month), (paid_month, month))
    ) e
    full join (
        select user_id, paid_month, month, type_id, status, sum(record_count) as record_count, sum(line_count) as line_count
        from (
            select user_id, paid_month, month, type_id, status, record_count, line_count
            from invoice_totals
            union all
            select user_id, paid_month, month, type_id, status, record_count, line_count
            from (
                select
                    coalesce(user_id, 0) as user_id,
                    coalesce(paid_month, 0) as paid_month,
                    coalesce(month, 0) as month,
                    type_id,
                    status,
                    sum(record_count)::bigint as record_count,
                    sum(line_count)::bigint as line_count
                from (
                    select
                        user_id,
                        coalesce(paid_month, -1) as paid_month,
                        month,
                        type_id,
                        status,
                        sum(delta) as record_count,
                        sum(delta * line_count) as line_count
                    from (
                        select
                            t.delta,
                            t.user_id,
                            t.paid_month,
                            t.month,
                            t.type_id,
                            t.status,
                            cardinality(t.line_ids) as line_count
                        from invoice_changes t
                        where t.batch_id >= $1
                    ) e
                    group by user_id, coalesce(paid_month, -1), month, type_id, status
                ) g
                group by type_id, status, grouping sets ((), (user_id), (paid_month), (month), (user_id, paid_month), (user_id, month), (paid_month, month))
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
        select
            client_id,
            sum(deals)::bigint as deals,
            sum(offers)::bigint as offers,
            sum(contracts)::bigint as contracts,
            sum(invoices)::bigint as invoices
        from (
            select client_id, delta as deals, 0 as offers, 0 as contracts, 0 as invoices
            from (
                select 1 as delta, r.client_id
                from deals r
            ) e
            union all
            select client_id, 0 as deals, delta as offers, 0 as contracts, 0 as invoices
            from (
                select 1 as delta, d.client_id
                from offers r
                join deals d on d.id = r.deal_id
            ) e
            union all
            select client_id, 0 as deals, 0 as offers, delta as contracts, 0 as invoices
            from (
                select 1 as delta, d.client_id
                from contracts r
                join deals d on d.id = r.deal_id
            ) e
            union all
            select client_id, 0 as deals, 0 as offers, 0 as contracts, delta as invoices
            from (
                select 1 as delta, r.client_id
                from invoices r
            ) e
        ) a
        where client_id is not null
        group by client_id
    ) e
    full join (
        select client_id, sum(deals) as deals, sum(offers) as offers, sum(contracts) as contracts, sum(invoices) as invoices
        from (
            select client_id, deals, offers, contracts, invoices
            from client_counts
            union all
            select client_id, deals, offers, contracts, invoices
            from (
                select
                    client_id,
                    sum(deals)::bigint as deals,
                    sum(offers)::bigint as offers,
                    sum(contracts)::bigint as contracts,
                    sum(invoices)::bigint as invoices
                from (
                    select client_id, delta as deals, 0 as offers, 0 as contracts, 0 as invoices
                    from (
                        select t.delta, t.client_id
                        from deal_changes t
                        where t.batch_id >= $1
                    ) e
                    union all
                    select client_id, 0 as deals, delta as offers, 0 as contracts, 0 as invoices
                    from (
                        select t.delta, t.client_id
                        from offer_changes t
                        where t.batch_id >= $1
                    ) e
                    union all
                    select client_id, 0 as deals, 0 as offers, delta as contracts, 0 as invoices
                    from (
                        select t.delta, t.client_id
                        from contract_changes t
                        where t.batch_id >= $1
                    ) e
                    union all
                    select client_id, 0 as deals, 0 as offers, 0 as contracts, delta as invoices
                    from (
                        select t.delta, t.client_id
                        from invoice_changes t
                        where t.batch_id >= $1
                    ) e
                ) a
                where client_id is not null
                group by client_id
            ) o
        ) b
        group by client_id
    ) s using (client_id)
    where coalesce(s.deals, 0) <> coalesce(e.deals, 0) or coalesce(s.offers, 0) <> coalesce(e.offers, 0) or coalesce(s.contracts, 0) <> coalesce(e.contracts, 0) or coalesce(s.invoices, 0) <> coalesce(e.invoices, 0)
) d
order by key
limit $2;

-- differences of page_index
select key, stored, expected, count(*) over () as found
from (
    with s as materialized (
        select
            created_at, id, record_count,
            coalesce(lead(created_at) over (order by created_at, id), 'infinity') as next_created_at,
            coalesce(lead(id) over (order by created_at, id), 9223372036854775807) as next_id
        from page_index
        where list = 'clients'
    ), o as (
        select s.created_at, s.id, sum(e.delta) as delta
        from (
            select created_at, id, sum(delta) as delta
            from (
                select t.delta, t.created_at, t.id
                from client_changes t
                where t.batch_id >= $1
            ) e
            group by created_at, id
            having sum(delta) <> 0
        ) e
        cross join lateral (
            select i.created_at, i.id
            from page_index i
            where i.list = 'clients' and (i.created_at, i.id) <= (e.created_at, e.id)
            order by i.created_at desc, i.id desc
            limit 1
        ) s
        group by s.created_at, s.id
    ), counted as (
        select
            s.created_at, s.id, s.record_count + coalesce(o.delta, 0) as stored,
            (select count(*) from clients r where (r.created_at, r.id) >= (s.created_at, s.id) and (r.created_at, r.id) < (s.next_created_at, s.next_id)) as expected
        from s
        left join o on o.created_at = s.created_at and o.id = s.id
    )
    select concat('clients from ', created_at, ', id ', id) as key, concat('record_count ', stored) as stored, concat('record_count ', expected) as expected
    from counted
    where stored <> expected
    union all
    select 'clients from the start', 'nothing', 'a segment'
    where not exists (select from s where created_at = '-infinity' and id = 0)
) d
order by key
limit $2;

-- differences of page_index
select key, stored, expected, count(*) over () as found
from (
    with s as materialized (
        select
            created_at, id, record_count,
            coalesce(lead(created_at) over (order by created_at, id), 'infinity') as next_created_at,
            coalesce(lead(id) over (order by created_at, id), 9223372036854775807) as next_id
        from page_index
        where list = 'deals'
    ), o as (
        select s.created_at, s.id, sum(e.delta) as delta
        from (
            select created_at, id, sum(delta) as delta
            from (
                select t.delta, t.created_at, t.id
                from deal_changes t
                where t.batch_id >= $1
            ) e
            group by created_at, id
            having sum(delta) <> 0
        ) e
        cross join lateral (
            select i.created_at, i.id
            from page_index i
            where i.list = 'deals' and (i.created_at, i.id) <= (e.created_at, e.id)
            order by i.created_at desc, i.id desc
            limit 1
        ) s
        group by s.created_at, s.id
    ), counted as (
        select
            s.created_at, s.id, s.record_count + coalesce(o.delta, 0) as stored,
            (select count(*) from deals r where (r.created_at, r.id) >= (s.created_at, s.id) and (r.created_at, r.id) < (s.next_created_at, s.next_id)) as expected
        from s
        left join o on o.created_at = s.created_at and o.id = s.id
    )
    select concat('deals from ', created_at, ', id ', id) as key, concat('record_count ', stored) as stored, concat('record_count ', expected) as expected
    from counted
    where stored <> expected
    union all
    select 'deals from the start', 'nothing', 'a segment'
    where not exists (select from s where created_at = '-infinity' and id = 0)
) d
order by key
limit $2;

-- differences of page_index
select key, stored, expected, count(*) over () as found
from (
    with s as materialized (
        select
            created_at, id, record_count,
            coalesce(lead(created_at) over (order by created_at, id), 'infinity') as next_created_at,
            coalesce(lead(id) over (order by created_at, id), 9223372036854775807) as next_id
        from page_index
        where list = 'offers'
    ), o as (
        select s.created_at, s.id, sum(e.delta) as delta
        from (
            select created_at, id, sum(delta) as delta
            from (
                select t.delta, t.created_at, t.id
                from offer_changes t
                where t.batch_id >= $1
            ) e
            group by created_at, id
            having sum(delta) <> 0
        ) e
        cross join lateral (
            select i.created_at, i.id
            from page_index i
            where i.list = 'offers' and (i.created_at, i.id) <= (e.created_at, e.id)
            order by i.created_at desc, i.id desc
            limit 1
        ) s
        group by s.created_at, s.id
    ), counted as (
        select
            s.created_at, s.id, s.record_count + coalesce(o.delta, 0) as stored,
            (select count(*) from offers r where (r.created_on, r.id) >= (s.created_at, s.id) and (r.created_on, r.id) < (s.next_created_at, s.next_id)) as expected
        from s
        left join o on o.created_at = s.created_at and o.id = s.id
    )
    select concat('offers from ', created_at, ', id ', id) as key, concat('record_count ', stored) as stored, concat('record_count ', expected) as expected
    from counted
    where stored <> expected
    union all
    select 'offers from the start', 'nothing', 'a segment'
    where not exists (select from s where created_at = '-infinity' and id = 0)
) d
order by key
limit $2;

-- differences of page_index
select key, stored, expected, count(*) over () as found
from (
    with s as materialized (
        select
            created_at, id, record_count,
            coalesce(lead(created_at) over (order by created_at, id), 'infinity') as next_created_at,
            coalesce(lead(id) over (order by created_at, id), 9223372036854775807) as next_id
        from page_index
        where list = 'contracts'
    ), o as (
        select s.created_at, s.id, sum(e.delta) as delta
        from (
            select created_at, id, sum(delta) as delta
            from (
                select t.delta, t.created_at, t.id
                from contract_changes t
                where t.batch_id >= $1
            ) e
            group by created_at, id
            having sum(delta) <> 0
        ) e
        cross join lateral (
            select i.created_at, i.id
            from page_index i
            where i.list = 'contracts' and (i.created_at, i.id) <= (e.created_at, e.id)
            order by i.created_at desc, i.id desc
            limit 1
        ) s
        group by s.created_at, s.id
    ), counted as (
        select
            s.created_at, s.id, s.record_count + coalesce(o.delta, 0) as stored,
            (select count(*) from contracts r where (r.created_on, r.id) >= (s.created_at, s.id) and (r.created_on, r.id) < (s.next_created_at, s.next_id)) as expected
        from s
        left join o on o.created_at = s.created_at and o.id = s.id
    )
    select concat('contracts from ', created_at, ', id ', id) as key, concat('record_count ', stored) as stored, concat('record_count ', expected) as expected
    from counted
    where stored <> expected
    union all
    select 'contracts from the start', 'nothing', 'a segment'
    where not exists (select from s where created_at = '-infinity' and id = 0)
) d
order by key
limit $2;

-- differences of page_index
select key, stored, expected, count(*) over () as found
from (
    with s as materialized (
        select
            created_at, id, record_count,
            coalesce(lead(created_at) over (order by created_at, id), 'infinity') as next_created_at,
            coalesce(lead(id) over (order by created_at, id), 9223372036854775807) as next_id
        from page_index
        where list = 'invoices'
    ), o as (
        select s.created_at, s.id, sum(e.delta) as delta
        from (
            select created_at, id, sum(delta) as delta
            from (
                select t.delta, t.created_at, t.id
                from invoice_changes t
                where t.batch_id >= $1
            ) e
            group by created_at, id
            having sum(delta) <> 0
        ) e
        cross join lateral (
            select i.created_at, i.id
            from page_index i
            where i.list = 'invoices' and (i.created_at, i.id) <= (e.created_at, e.id)
            order by i.created_at desc, i.id desc
            limit 1
        ) s
        group by s.created_at, s.id
    ), counted as (
        select
            s.created_at, s.id, s.record_count + coalesce(o.delta, 0) as stored,
            (select count(*) from invoices r where (r.created_on, r.id) >= (s.created_at, s.id) and (r.created_on, r.id) < (s.next_created_at, s.next_id)) as expected
        from s
        left join o on o.created_at = s.created_at and o.id = s.id
    )
    select concat('invoices from ', created_at, ', id ', id) as key, concat('record_count ', stored) as stored, concat('record_count ', expected) as expected
    from counted
    where stored <> expected
    union all
    select 'invoices from the start', 'nothing', 'a segment'
    where not exists (select from s where created_at = '-infinity' and id = 0)
) d
order by key
limit $2;

-- differences of page_index
select key, stored, expected, count(*) over () as found
from (
    with s as materialized (
        select
            created_at, id, record_count,
            coalesce(lead(created_at) over (order by created_at, id), 'infinity') as next_created_at,
            coalesce(lead(id) over (order by created_at, id), 9223372036854775807) as next_id
        from page_index
        where list = 'invoice_lines'
    ), o as (
        select s.created_at, s.id, sum(e.delta) as delta
        from (
            select created_at, id, sum(delta) as delta
            from (
                select t.delta, t.created_at, t.id
                from (
                    select t.batch_id, t.delta, '-infinity'::timestamptz as created_at, l.id
                    from invoice_changes t
                    cross join lateral unnest(t.line_ids) l (id)
                ) t
                where t.batch_id >= $1
            ) e
            group by created_at, id
            having sum(delta) <> 0
        ) e
        cross join lateral (
            select i.created_at, i.id
            from page_index i
            where i.list = 'invoice_lines' and (i.created_at, i.id) <= (e.created_at, e.id)
            order by i.created_at desc, i.id desc
            limit 1
        ) s
        group by s.created_at, s.id
    ), counted as (
        select
            s.created_at, s.id, s.record_count + coalesce(o.delta, 0) as stored,
            (select count(*) from invoice_lines r where r.id >= s.id and r.id < s.next_id) as expected
        from s
        left join o on o.created_at = s.created_at and o.id = s.id
    )
    select concat('invoice_lines from ', created_at, ', id ', id) as key, concat('record_count ', stored) as stored, concat('record_count ', expected) as expected
    from counted
    where stored <> expected
    union all
    select 'invoice_lines from the start', 'nothing', 'a segment'
    where not exists (select from s where created_at = '-infinity' and id = 0)
) d
order by key
limit $2;

-- differences of client_search
select key, stored, expected, count(*) over () as found
from (
    select 'id ' || id as key, coalesce(s.text_key, 'nothing') as stored, coalesce(r.name_key, 'nothing') as expected
    from clients r
    full join client_search s using (id)
    where s.text_key is distinct from r.name_key
) d
order by key
limit $1;

-- differences of deal_search
select key, stored, expected, count(*) over () as found
from (
    select 'id ' || id as key, coalesce(s.text_key, 'nothing') as stored, coalesce(r.name_key, 'nothing') as expected
    from deals r
    full join deal_search s using (id)
    where s.text_key is distinct from r.name_key
) d
order by key
limit $1;

-- differences of offer_search
select key, stored, expected, count(*) over () as found
from (
    select 'id ' || id as key, coalesce(s.text_key, 'nothing') as stored, coalesce(r.number_key, 'nothing') as expected
    from offers r
    full join offer_search s using (id)
    where s.text_key is distinct from r.number_key
) d
order by key
limit $1;

-- differences of contract_search
select key, stored, expected, count(*) over () as found
from (
    select 'id ' || id as key, coalesce(s.text_key, 'nothing') as stored, coalesce(r.number_key, 'nothing') as expected
    from contracts r
    full join contract_search s using (id)
    where s.text_key is distinct from r.number_key
) d
order by key
limit $1;

-- differences of invoice_search
select key, stored, expected, count(*) over () as found
from (
    select 'id ' || id as key, coalesce(s.text_key, 'nothing') as stored, coalesce(r.number_key, 'nothing') as expected
    from invoices r
    full join invoice_search s using (id)
    where s.text_key is distinct from r.number_key
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
