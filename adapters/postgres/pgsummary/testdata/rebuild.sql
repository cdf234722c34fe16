-- stage client_totals
insert into staged_client_totals (user_id, type, record_count)
select user_id, type, record_count
from (
    select coalesce(user_id, 0) as user_id, type, sum(record_count)::bigint as record_count
    from (
        select user_id, type, sum(delta) as record_count
        from (
            select 1 as delta, r.user_id, r.type
            from clients r
            union all
            select -t.delta as delta, t.user_id, t.type
            from client_changes t
            where t.batch_id >= $1
        ) e
        group by user_id, type
    ) g
    group by type, grouping sets ((), (user_id))
) a
where record_count <> 0;

-- add folded batches to the staged client_totals
insert into staged_client_totals as t (user_id, type, record_count)
select user_id, type, record_count
from (
    select coalesce(user_id, 0) as user_id, type, sum(record_count)::bigint as record_count
    from (
        select user_id, type, sum(delta) as record_count
        from (
            select t.delta, t.user_id, t.type
            from client_changes t
            where t.batch_id >= $1 and t.batch_id < $2
        ) e
        group by user_id, type
    ) g
    group by type, grouping sets ((), (user_id))
) s
where record_count <> 0
on conflict (user_id, type) do update
set record_count = t.record_count + excluded.record_count;

-- replace client_totals
with different as materialized (
    select user_id, type, s.record_count
    from client_totals t
    full join staged_client_totals s using (user_id, type)
    where t.record_count is distinct from s.record_count
), removed as (
    delete from client_totals t
    using different d
    where d.record_count is null and t.user_id = d.user_id and t.type = d.type
)
insert into client_totals (user_id, type, record_count)
select user_id, type, record_count
from different d
where not d.record_count is null
on conflict (user_id, type) do update
set record_count = excluded.record_count;

-- stage deal_totals
insert into staged_deal_totals (user_id, type_id, status_id, record_count)
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
            select 1 as delta, r.user_id, r.type_id, r.status_id
            from deals r
            union all
            select -t.delta as delta, t.user_id, t.type_id, t.status_id
            from deal_changes t
            where t.batch_id >= $1
        ) e
        group by user_id, coalesce(type_id, 0), status_id
    ) g
    group by type_id, status_id, grouping sets ((), (user_id))
) a
where record_count <> 0;

-- add folded batches to the staged deal_totals
insert into staged_deal_totals as t (user_id, type_id, status_id, record_count)
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
            where t.batch_id >= $1 and t.batch_id < $2
        ) e
        group by user_id, coalesce(type_id, 0), status_id
    ) g
    group by type_id, status_id, grouping sets ((), (user_id))
) s
where record_count <> 0
on conflict (user_id, type_id, status_id) do update
set record_count = t.record_count + excluded.record_count;

-- replace deal_totals
with different as materialized (
    select user_id, type_id, status_id, s.record_count
    from deal_totals t
    full join staged_deal_totals s using (user_id, type_id, status_id)
    where t.record_count is distinct from s.record_count
), removed as (
    delete from deal_totals t
    using different d
    where d.record_count is null and t.user_id = d.user_id and t.type_id = d.type_id and t.status_id = d.status_id
)
insert into deal_totals (user_id, type_id, status_id, record_count)
select user_id, type_id, status_id, record_count
from different d
where not d.record_count is null
on conflict (user_id, type_id, status_id) do update
set record_count = excluded.record_count;

-- stage invoice_totals
insert into staged_invoice_totals (user_id, paid_month, month, type_id, status, record_count, line_count)
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
                1 as delta,
                r.user_id,
                r.paid_month,
                r.month,
                r.type_id,
                r.status,
                r.total_count as line_count
            from invoices r
            union all
            select
                -t.delta as delta,
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
) a
where record_count <> 0 or line_count <> 0;

-- add folded batches to the staged invoice_totals
insert into staged_invoice_totals as t (user_id, paid_month, month, type_id, status, record_count, line_count)
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
            where t.batch_id >= $1 and t.batch_id < $2
        ) e
        group by user_id, coalesce(paid_month, -1), month, type_id, status
    ) g
    group by type_id, status, grouping sets ((), (user_id), (paid_month), (month), (user_id, paid_month), (user_id, month), (paid_month, month))
) s
where record_count <> 0 or line_count <> 0
on conflict (user_id, paid_month, month, type_id, status) do update
set
    record_count = t.record_count + excluded.record_count,
    line_count = t.line_count + excluded.line_count;

-- replace invoice_totals
with different as materialized (
    select user_id, paid_month, month, type_id, status, s.record_count, s.line_count
    from invoice_totals t
    full join staged_invoice_totals s using (user_id, paid_month, month, type_id, status)
    where t.record_count is distinct from s.record_count or t.line_count is distinct from s.line_count
), removed as (
    delete from invoice_totals t
    using different d
    where d.record_count is null and t.user_id = d.user_id and t.paid_month = d.paid_month and t.month = d.month and t.type_id = d.type_id and t.status = d.status
)
insert into invoice_totals (user_id, paid_month, month, type_id, status, record_count, line_count)
select user_id, paid_month, month, type_id, status, record_count, line_count
from different d
where not d.record_count is null
on conflict (user_id, paid_month, month, type_id, status) do update
set record_count = excluded.record_count, line_count = excluded.line_count;

-- stage client_counts
insert into staged_client_counts (client_id, deals, offers, contracts, invoices)
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
            select 1 as delta, r.client_id
            from deals r
            union all
            select -t.delta as delta, t.client_id
            from deal_changes t
            where t.batch_id >= $1
        ) e
        union all
        select client_id, 0 as deals, delta as offers, 0 as contracts, 0 as invoices
        from (
            select 1 as delta, d.client_id
            from offers r
            join deals d on d.id = r.deal_id
            union all
            select -t.delta as delta, t.client_id
            from offer_changes t
            where t.batch_id >= $1
        ) e
        union all
        select client_id, 0 as deals, 0 as offers, delta as contracts, 0 as invoices
        from (
            select 1 as delta, d.client_id
            from contracts r
            join deals d on d.id = r.deal_id
            union all
            select -t.delta as delta, t.client_id
            from contract_changes t
            where t.batch_id >= $1
        ) e
        union all
        select client_id, 0 as deals, 0 as offers, 0 as contracts, delta as invoices
        from (
            select 1 as delta, r.client_id
            from invoices r
            union all
            select -t.delta as delta, t.client_id
            from invoice_changes t
            where t.batch_id >= $1
        ) e
    ) a
    where client_id is not null
    group by client_id
) a
where deals <> 0 or offers <> 0 or contracts <> 0 or invoices <> 0;

-- add folded batches to the staged client_counts
insert into staged_client_counts as t (client_id, deals, offers, contracts, invoices)
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
            where t.batch_id >= $1 and t.batch_id < $2
        ) e
        union all
        select client_id, 0 as deals, delta as offers, 0 as contracts, 0 as invoices
        from (
            select t.delta, t.client_id
            from offer_changes t
            where t.batch_id >= $1 and t.batch_id < $2
        ) e
        union all
        select client_id, 0 as deals, 0 as offers, delta as contracts, 0 as invoices
        from (
            select t.delta, t.client_id
            from contract_changes t
            where t.batch_id >= $1 and t.batch_id < $2
        ) e
        union all
        select client_id, 0 as deals, 0 as offers, 0 as contracts, delta as invoices
        from (
            select t.delta, t.client_id
            from invoice_changes t
            where t.batch_id >= $1 and t.batch_id < $2
        ) e
    ) a
    where client_id is not null
    group by client_id
) s
where deals <> 0 or offers <> 0 or contracts <> 0 or invoices <> 0
on conflict (client_id) do update
set
    deals = t.deals + excluded.deals,
    offers = t.offers + excluded.offers,
    contracts = t.contracts + excluded.contracts,
    invoices = t.invoices + excluded.invoices;

-- replace client_counts
with different as materialized (
    select client_id, s.deals, s.offers, s.contracts, s.invoices
    from client_counts t
    full join staged_client_counts s using (client_id)
    where t.deals is distinct from s.deals or t.offers is distinct from s.offers or t.contracts is distinct from s.contracts or t.invoices is distinct from s.invoices
), removed as (
    delete from client_counts t
    using different d
    where d.deals is null and t.client_id = d.client_id
)
insert into client_counts (client_id, deals, offers, contracts, invoices)
select client_id, deals, offers, contracts, invoices
from different d
where not d.deals is null
on conflict (client_id) do update
set deals = excluded.deals, offers = excluded.offers, contracts = excluded.contracts, invoices = excluded.invoices;

-- stage the page index of clients
insert into staged_page_index (list, created_at, id, record_count)
select 'clients', created_at, id, coalesce(lead(place) over (order by place), 1 + (select count(*) from clients)) - place
from (
    select '-infinity'::timestamptz as created_at, 0::bigint as id, 1::bigint as place
    union all
    select created_at, id, place
    from (
        select r.created_at as created_at, r.id, row_number() over (order by r.created_at, r.id) as place
        from clients r
    ) a
    where place > 1 and place % 4096 = 1
) s;

-- revert the open batches in the staged page index of clients
with added as (
    select s.created_at, s.id, sum(e.delta) as delta
    from (
        select created_at, id, sum(delta) as delta
        from (
            select -t.delta as delta, t.created_at, t.id
            from client_changes t
            where t.batch_id >= $1
        ) e
        group by created_at, id
        having sum(delta) <> 0
    ) e
    cross join lateral (
        select i.created_at, i.id
        from staged_page_index i
        where i.list = 'clients' and (i.created_at, i.id) <= (e.created_at, e.id)
        order by i.created_at desc, i.id desc
        limit 1
    ) s
    group by s.created_at, s.id
)
update staged_page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'clients' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- add folded batches to the staged page index of clients
with added as (
    select s.created_at, s.id, sum(e.delta) as delta
    from (
        select created_at, id, sum(delta) as delta
        from (
            select t.delta, t.created_at, t.id
            from client_changes t
            where t.batch_id >= $1 and t.batch_id < $2
        ) e
        group by created_at, id
        having sum(delta) <> 0
    ) e
    cross join lateral (
        select i.created_at, i.id
        from staged_page_index i
        where i.list = 'clients' and (i.created_at, i.id) <= (e.created_at, e.id)
        order by i.created_at desc, i.id desc
        limit 1
    ) s
    group by s.created_at, s.id
)
update staged_page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'clients' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- stage the page index of deals
insert into staged_page_index (list, created_at, id, record_count)
select 'deals', created_at, id, coalesce(lead(place) over (order by place), 1 + (select count(*) from deals)) - place
from (
    select '-infinity'::timestamptz as created_at, 0::bigint as id, 1::bigint as place
    union all
    select created_at, id, place
    from (
        select r.created_at as created_at, r.id, row_number() over (order by r.created_at, r.id) as place
        from deals r
    ) a
    where place > 1 and place % 4096 = 1
) s;

-- revert the open batches in the staged page index of deals
with added as (
    select s.created_at, s.id, sum(e.delta) as delta
    from (
        select created_at, id, sum(delta) as delta
        from (
            select -t.delta as delta, t.created_at, t.id
            from deal_changes t
            where t.batch_id >= $1
        ) e
        group by created_at, id
        having sum(delta) <> 0
    ) e
    cross join lateral (
        select i.created_at, i.id
        from staged_page_index i
        where i.list = 'deals' and (i.created_at, i.id) <= (e.created_at, e.id)
        order by i.created_at desc, i.id desc
        limit 1
    ) s
    group by s.created_at, s.id
)
update staged_page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'deals' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- add folded batches to the staged page index of deals
with added as (
    select s.created_at, s.id, sum(e.delta) as delta
    from (
        select created_at, id, sum(delta) as delta
        from (
            select t.delta, t.created_at, t.id
            from deal_changes t
            where t.batch_id >= $1 and t.batch_id < $2
        ) e
        group by created_at, id
        having sum(delta) <> 0
    ) e
    cross join lateral (
        select i.created_at, i.id
        from staged_page_index i
        where i.list = 'deals' and (i.created_at, i.id) <= (e.created_at, e.id)
        order by i.created_at desc, i.id desc
        limit 1
    ) s
    group by s.created_at, s.id
)
update staged_page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'deals' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- stage the page index of offers
insert into staged_page_index (list, created_at, id, record_count)
select 'offers', created_at, id, coalesce(lead(place) over (order by place), 1 + (select count(*) from offers)) - place
from (
    select '-infinity'::timestamptz as created_at, 0::bigint as id, 1::bigint as place
    union all
    select created_at, id, place
    from (
        select r.created_on as created_at, r.id, row_number() over (order by r.created_on, r.id) as place
        from offers r
    ) a
    where place > 1 and place % 4096 = 1
) s;

-- revert the open batches in the staged page index of offers
with added as (
    select s.created_at, s.id, sum(e.delta) as delta
    from (
        select created_at, id, sum(delta) as delta
        from (
            select -t.delta as delta, t.created_at, t.id
            from offer_changes t
            where t.batch_id >= $1
        ) e
        group by created_at, id
        having sum(delta) <> 0
    ) e
    cross join lateral (
        select i.created_at, i.id
        from staged_page_index i
        where i.list = 'offers' and (i.created_at, i.id) <= (e.created_at, e.id)
        order by i.created_at desc, i.id desc
        limit 1
    ) s
    group by s.created_at, s.id
)
update staged_page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'offers' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- add folded batches to the staged page index of offers
with added as (
    select s.created_at, s.id, sum(e.delta) as delta
    from (
        select created_at, id, sum(delta) as delta
        from (
            select t.delta, t.created_at, t.id
            from offer_changes t
            where t.batch_id >= $1 and t.batch_id < $2
        ) e
        group by created_at, id
        having sum(delta) <> 0
    ) e
    cross join lateral (
        select i.created_at, i.id
        from staged_page_index i
        where i.list = 'offers' and (i.created_at, i.id) <= (e.created_at, e.id)
        order by i.created_at desc, i.id desc
        limit 1
    ) s
    group by s.created_at, s.id
)
update staged_page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'offers' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- stage the page index of contracts
insert into staged_page_index (list, created_at, id, record_count)
select 'contracts', created_at, id, coalesce(lead(place) over (order by place), 1 + (select count(*) from contracts)) - place
from (
    select '-infinity'::timestamptz as created_at, 0::bigint as id, 1::bigint as place
    union all
    select created_at, id, place
    from (
        select r.created_on as created_at, r.id, row_number() over (order by r.created_on, r.id) as place
        from contracts r
    ) a
    where place > 1 and place % 4096 = 1
) s;

-- revert the open batches in the staged page index of contracts
with added as (
    select s.created_at, s.id, sum(e.delta) as delta
    from (
        select created_at, id, sum(delta) as delta
        from (
            select -t.delta as delta, t.created_at, t.id
            from contract_changes t
            where t.batch_id >= $1
        ) e
        group by created_at, id
        having sum(delta) <> 0
    ) e
    cross join lateral (
        select i.created_at, i.id
        from staged_page_index i
        where i.list = 'contracts' and (i.created_at, i.id) <= (e.created_at, e.id)
        order by i.created_at desc, i.id desc
        limit 1
    ) s
    group by s.created_at, s.id
)
update staged_page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'contracts' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- add folded batches to the staged page index of contracts
with added as (
    select s.created_at, s.id, sum(e.delta) as delta
    from (
        select created_at, id, sum(delta) as delta
        from (
            select t.delta, t.created_at, t.id
            from contract_changes t
            where t.batch_id >= $1 and t.batch_id < $2
        ) e
        group by created_at, id
        having sum(delta) <> 0
    ) e
    cross join lateral (
        select i.created_at, i.id
        from staged_page_index i
        where i.list = 'contracts' and (i.created_at, i.id) <= (e.created_at, e.id)
        order by i.created_at desc, i.id desc
        limit 1
    ) s
    group by s.created_at, s.id
)
update staged_page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'contracts' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- stage the page index of invoices
insert into staged_page_index (list, created_at, id, record_count)
select 'invoices', created_at, id, coalesce(lead(place) over (order by place), 1 + (select count(*) from invoices)) - place
from (
    select '-infinity'::timestamptz as created_at, 0::bigint as id, 1::bigint as place
    union all
    select created_at, id, place
    from (
        select r.created_on as created_at, r.id, row_number() over (order by r.created_on, r.id) as place
        from invoices r
    ) a
    where place > 1 and place % 4096 = 1
) s;

-- revert the open batches in the staged page index of invoices
with added as (
    select s.created_at, s.id, sum(e.delta) as delta
    from (
        select created_at, id, sum(delta) as delta
        from (
            select -t.delta as delta, t.created_at, t.id
            from invoice_changes t
            where t.batch_id >= $1
        ) e
        group by created_at, id
        having sum(delta) <> 0
    ) e
    cross join lateral (
        select i.created_at, i.id
        from staged_page_index i
        where i.list = 'invoices' and (i.created_at, i.id) <= (e.created_at, e.id)
        order by i.created_at desc, i.id desc
        limit 1
    ) s
    group by s.created_at, s.id
)
update staged_page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'invoices' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- add folded batches to the staged page index of invoices
with added as (
    select s.created_at, s.id, sum(e.delta) as delta
    from (
        select created_at, id, sum(delta) as delta
        from (
            select t.delta, t.created_at, t.id
            from invoice_changes t
            where t.batch_id >= $1 and t.batch_id < $2
        ) e
        group by created_at, id
        having sum(delta) <> 0
    ) e
    cross join lateral (
        select i.created_at, i.id
        from staged_page_index i
        where i.list = 'invoices' and (i.created_at, i.id) <= (e.created_at, e.id)
        order by i.created_at desc, i.id desc
        limit 1
    ) s
    group by s.created_at, s.id
)
update staged_page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'invoices' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- stage the page index of invoice_lines
insert into staged_page_index (list, created_at, id, record_count)
select 'invoice_lines', created_at, id, coalesce(lead(place) over (order by place), 1 + (select count(*) from invoice_lines)) - place
from (
    select '-infinity'::timestamptz as created_at, 0::bigint as id, 1::bigint as place
    union all
    select created_at, id, place
    from (
        select '-infinity'::timestamptz as created_at, r.id, row_number() over (order by r.id) as place
        from invoice_lines r
    ) a
    where place > 1 and place % 4096 = 1
) s;

-- revert the open batches in the staged page index of invoice_lines
with added as (
    select s.created_at, s.id, sum(e.delta) as delta
    from (
        select created_at, id, sum(delta) as delta
        from (
            select -t.delta as delta, t.created_at, t.id
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
        from staged_page_index i
        where i.list = 'invoice_lines' and (i.created_at, i.id) <= (e.created_at, e.id)
        order by i.created_at desc, i.id desc
        limit 1
    ) s
    group by s.created_at, s.id
)
update staged_page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'invoice_lines' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- add folded batches to the staged page index of invoice_lines
with added as (
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
            where t.batch_id >= $1 and t.batch_id < $2
        ) e
        group by created_at, id
        having sum(delta) <> 0
    ) e
    cross join lateral (
        select i.created_at, i.id
        from staged_page_index i
        where i.list = 'invoice_lines' and (i.created_at, i.id) <= (e.created_at, e.id)
        order by i.created_at desc, i.id desc
        limit 1
    ) s
    group by s.created_at, s.id
)
update staged_page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'invoice_lines' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- correct months of payment
update invoices
set paid_month = (extract(year from (paid_on at time zone current_setting('timezone'))) * 12 + extract(month from (paid_on at time zone current_setting('timezone'))) - 1)::integer
where id > $1 and id <= $2 and paid_month is distinct from (extract(year from (paid_on at time zone current_setting('timezone'))) * 12 + extract(month from (paid_on at time zone current_setting('timezone'))) - 1)::integer;

-- correct search keys in client_search
with wrong as (
    select r.id
    from clients r
    left join client_search s on s.id = r.id and s.id > $1 and s.id <= $2
    where r.id > $1 and r.id <= $2 and s.text_key is distinct from r.name_key
), locked as (
    select id, name_key as text_key
    from clients
    where id in (select id from wrong)
    order by id
    for share
)
insert into client_search as k (id, text_key)
select id, text_key
from locked
on conflict (id) do update
set text_key = excluded.text_key
where k.text_key <> excluded.text_key;

-- remove orphans from client_search
delete from client_search s
where not exists (select from clients r where r.id = s.id);

-- correct search keys in deal_search
with wrong as (
    select r.id
    from deals r
    left join deal_search s on s.id = r.id and s.id > $1 and s.id <= $2
    where r.id > $1 and r.id <= $2 and s.text_key is distinct from r.name_key
), locked as (
    select id, name_key as text_key
    from deals
    where id in (select id from wrong)
    order by id
    for share
)
insert into deal_search as k (id, text_key)
select id, text_key
from locked
on conflict (id) do update
set text_key = excluded.text_key
where k.text_key <> excluded.text_key;

-- remove orphans from deal_search
delete from deal_search s
where not exists (select from deals r where r.id = s.id);

-- correct search keys in offer_search
with wrong as (
    select r.id
    from offers r
    left join offer_search s on s.id = r.id and s.id > $1 and s.id <= $2
    where r.id > $1 and r.id <= $2 and s.text_key is distinct from r.number_key
), locked as (
    select id, number_key as text_key
    from offers
    where id in (select id from wrong)
    order by id
    for share
)
insert into offer_search as k (id, text_key)
select id, text_key
from locked
on conflict (id) do update
set text_key = excluded.text_key
where k.text_key <> excluded.text_key;

-- remove orphans from offer_search
delete from offer_search s
where not exists (select from offers r where r.id = s.id);

-- correct search keys in contract_search
with wrong as (
    select r.id
    from contracts r
    left join contract_search s on s.id = r.id and s.id > $1 and s.id <= $2
    where r.id > $1 and r.id <= $2 and s.text_key is distinct from r.number_key
), locked as (
    select id, number_key as text_key
    from contracts
    where id in (select id from wrong)
    order by id
    for share
)
insert into contract_search as k (id, text_key)
select id, text_key
from locked
on conflict (id) do update
set text_key = excluded.text_key
where k.text_key <> excluded.text_key;

-- remove orphans from contract_search
delete from contract_search s
where not exists (select from contracts r where r.id = s.id);

-- correct search keys in invoice_search
with wrong as (
    select r.id
    from invoices r
    left join invoice_search s on s.id = r.id and s.id > $1 and s.id <= $2
    where r.id > $1 and r.id <= $2 and s.text_key is distinct from r.number_key
), locked as (
    select id, number_key as text_key
    from invoices
    where id in (select id from wrong)
    order by id
    for share
)
insert into invoice_search as k (id, text_key)
select id, text_key
from locked
on conflict (id) do update
set text_key = excluded.text_key
where k.text_key <> excluded.text_key;

-- remove orphans from invoice_search
delete from invoice_search s
where not exists (select from invoices r where r.id = s.id);
