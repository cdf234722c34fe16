-- the open batches
select
    b.oldest, b.newest,
    array[
        exists (select from client_changes where batch_id >= b.oldest),
        exists (select from deal_changes where batch_id >= b.oldest),
        exists (select from offer_changes where batch_id >= b.oldest),
        exists (select from contract_changes where batch_id >= b.oldest),
        exists (select from invoice_changes where batch_id >= b.oldest)
    ],
    exists (select from change_batches where id = b.newest and opened_at between clock_timestamp() - $1::interval and clock_timestamp())
from (select min(id) as oldest, max(id) as newest from change_batches) b;

-- the lists that a batch changes
select array[
        exists (select from client_changes where batch_id = $1),
        exists (select from deal_changes where batch_id = $1),
        exists (select from offer_changes where batch_id = $1),
        exists (select from contract_changes where batch_id = $1),
        exists (select from invoice_changes where batch_id = $1)
    ];

-- fold a batch into client_totals
insert into client_totals as t (user_id, type, record_count)
select user_id, type, record_count
from (
    select coalesce(user_id, 0) as user_id, type, sum(record_count)::bigint as record_count
    from (
        select user_id, type, sum(delta) as record_count
        from (
            select t.delta, t.user_id, t.type
            from client_changes t
            where t.batch_id = $1
        ) e
        group by user_id, type
    ) g
    group by type, grouping sets ((), (user_id))
) s
where record_count <> 0
on conflict (user_id, type) do update
set record_count = t.record_count + excluded.record_count;

-- fold a batch into deal_totals
insert into deal_totals as t (user_id, type_id, status_id, record_count)
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
            where t.batch_id = $1
        ) e
        group by user_id, coalesce(type_id, 0), status_id
    ) g
    group by type_id, status_id, grouping sets ((), (user_id))
) s
where record_count <> 0
on conflict (user_id, type_id, status_id) do update
set record_count = t.record_count + excluded.record_count;

-- fold a batch into invoice_totals
insert into invoice_totals as t (user_id, paid_month, month, type_id, status, record_count, line_count)
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
            where t.batch_id = $1
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

-- fold a batch into client_counts
insert into client_counts as t (client_id, deals, offers, contracts, invoices)
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
            where t.batch_id = $1
        ) e
        union all
        select client_id, 0 as deals, delta as offers, 0 as contracts, 0 as invoices
        from (
            select t.delta, t.client_id
            from offer_changes t
            where t.batch_id = $1
        ) e
        union all
        select client_id, 0 as deals, 0 as offers, delta as contracts, 0 as invoices
        from (
            select t.delta, t.client_id
            from contract_changes t
            where t.batch_id = $1
        ) e
        union all
        select client_id, 0 as deals, 0 as offers, 0 as contracts, delta as invoices
        from (
            select t.delta, t.client_id
            from invoice_changes t
            where t.batch_id = $1
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

-- fold a batch into the page index of clients
with added as (
    select s.created_at, s.id, sum(e.delta) as delta
    from (
        select created_at, id, sum(delta) as delta
        from (
            select t.delta, t.created_at, t.id
            from client_changes t
            where t.batch_id = $1
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
)
update page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'clients' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- fold a batch into the page index of deals
with added as (
    select s.created_at, s.id, sum(e.delta) as delta
    from (
        select created_at, id, sum(delta) as delta
        from (
            select t.delta, t.created_at, t.id
            from deal_changes t
            where t.batch_id = $1
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
)
update page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'deals' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- fold a batch into the page index of offers
with added as (
    select s.created_at, s.id, sum(e.delta) as delta
    from (
        select created_at, id, sum(delta) as delta
        from (
            select t.delta, t.created_at, t.id
            from offer_changes t
            where t.batch_id = $1
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
)
update page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'offers' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- fold a batch into the page index of contracts
with added as (
    select s.created_at, s.id, sum(e.delta) as delta
    from (
        select created_at, id, sum(delta) as delta
        from (
            select t.delta, t.created_at, t.id
            from contract_changes t
            where t.batch_id = $1
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
)
update page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'contracts' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- fold a batch into the page index of invoices
with added as (
    select s.created_at, s.id, sum(e.delta) as delta
    from (
        select created_at, id, sum(delta) as delta
        from (
            select t.delta, t.created_at, t.id
            from invoice_changes t
            where t.batch_id = $1
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
)
update page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'invoices' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- fold a batch into the page index of invoice_lines
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
            where t.batch_id = $1
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
)
update page_index i
set record_count = i.record_count + added.delta
from added
where i.list = 'invoice_lines' and i.created_at = added.created_at and i.id = added.id and added.delta <> 0;

-- split segments of clients
with s as materialized (
    select
        created_at, id, record_count,
        coalesce(lead(created_at) over (order by created_at, id), 'infinity') as next_created_at,
        coalesce(lead(id) over (order by created_at, id), 9223372036854775807) as next_id
    from page_index
    where list = 'clients'
), cut as materialized (
    select s.created_at, s.id, s.record_count, c.created_at as cut_created_at, c.id as cut_id, 4096 - o.delta as remaining
    from s
    cross join lateral (
        select r.created_at as created_at, r.id
        from clients r
        where (r.created_at, r.id) >= (s.created_at, s.id) and (r.created_at, r.id) < (s.next_created_at, s.next_id)
        order by r.created_at, r.id
        offset 4096
        limit 1
    ) c
    cross join lateral (
        select coalesce(sum(e.delta), 0) as delta
        from (
            select t.delta, t.created_at, t.id
            from client_changes t
            where t.batch_id >= $1
        ) e
        where (e.created_at, e.id) >= (s.created_at, s.id) and (e.created_at, e.id) < (c.created_at, c.id)
    ) o
    where s.record_count > 8192
), shortened as (
    update page_index i
    set record_count = cut.remaining
    from cut
    where i.list = 'clients' and i.created_at = cut.created_at and i.id = cut.id
)
insert into page_index (list, created_at, id, record_count)
select 'clients', cut_created_at, cut_id, record_count - remaining
from cut;

-- split segments of deals
with s as materialized (
    select
        created_at, id, record_count,
        coalesce(lead(created_at) over (order by created_at, id), 'infinity') as next_created_at,
        coalesce(lead(id) over (order by created_at, id), 9223372036854775807) as next_id
    from page_index
    where list = 'deals'
), cut as materialized (
    select s.created_at, s.id, s.record_count, c.created_at as cut_created_at, c.id as cut_id, 4096 - o.delta as remaining
    from s
    cross join lateral (
        select r.created_at as created_at, r.id
        from deals r
        where (r.created_at, r.id) >= (s.created_at, s.id) and (r.created_at, r.id) < (s.next_created_at, s.next_id)
        order by r.created_at, r.id
        offset 4096
        limit 1
    ) c
    cross join lateral (
        select coalesce(sum(e.delta), 0) as delta
        from (
            select t.delta, t.created_at, t.id
            from deal_changes t
            where t.batch_id >= $1
        ) e
        where (e.created_at, e.id) >= (s.created_at, s.id) and (e.created_at, e.id) < (c.created_at, c.id)
    ) o
    where s.record_count > 8192
), shortened as (
    update page_index i
    set record_count = cut.remaining
    from cut
    where i.list = 'deals' and i.created_at = cut.created_at and i.id = cut.id
)
insert into page_index (list, created_at, id, record_count)
select 'deals', cut_created_at, cut_id, record_count - remaining
from cut;

-- split segments of offers
with s as materialized (
    select
        created_at, id, record_count,
        coalesce(lead(created_at) over (order by created_at, id), 'infinity') as next_created_at,
        coalesce(lead(id) over (order by created_at, id), 9223372036854775807) as next_id
    from page_index
    where list = 'offers'
), cut as materialized (
    select s.created_at, s.id, s.record_count, c.created_at as cut_created_at, c.id as cut_id, 4096 - o.delta as remaining
    from s
    cross join lateral (
        select r.created_on as created_at, r.id
        from offers r
        where (r.created_on, r.id) >= (s.created_at, s.id) and (r.created_on, r.id) < (s.next_created_at, s.next_id)
        order by r.created_on, r.id
        offset 4096
        limit 1
    ) c
    cross join lateral (
        select coalesce(sum(e.delta), 0) as delta
        from (
            select t.delta, t.created_at, t.id
            from offer_changes t
            where t.batch_id >= $1
        ) e
        where (e.created_at, e.id) >= (s.created_at, s.id) and (e.created_at, e.id) < (c.created_at, c.id)
    ) o
    where s.record_count > 8192
), shortened as (
    update page_index i
    set record_count = cut.remaining
    from cut
    where i.list = 'offers' and i.created_at = cut.created_at and i.id = cut.id
)
insert into page_index (list, created_at, id, record_count)
select 'offers', cut_created_at, cut_id, record_count - remaining
from cut;

-- split segments of contracts
with s as materialized (
    select
        created_at, id, record_count,
        coalesce(lead(created_at) over (order by created_at, id), 'infinity') as next_created_at,
        coalesce(lead(id) over (order by created_at, id), 9223372036854775807) as next_id
    from page_index
    where list = 'contracts'
), cut as materialized (
    select s.created_at, s.id, s.record_count, c.created_at as cut_created_at, c.id as cut_id, 4096 - o.delta as remaining
    from s
    cross join lateral (
        select r.created_on as created_at, r.id
        from contracts r
        where (r.created_on, r.id) >= (s.created_at, s.id) and (r.created_on, r.id) < (s.next_created_at, s.next_id)
        order by r.created_on, r.id
        offset 4096
        limit 1
    ) c
    cross join lateral (
        select coalesce(sum(e.delta), 0) as delta
        from (
            select t.delta, t.created_at, t.id
            from contract_changes t
            where t.batch_id >= $1
        ) e
        where (e.created_at, e.id) >= (s.created_at, s.id) and (e.created_at, e.id) < (c.created_at, c.id)
    ) o
    where s.record_count > 8192
), shortened as (
    update page_index i
    set record_count = cut.remaining
    from cut
    where i.list = 'contracts' and i.created_at = cut.created_at and i.id = cut.id
)
insert into page_index (list, created_at, id, record_count)
select 'contracts', cut_created_at, cut_id, record_count - remaining
from cut;

-- split segments of invoices
with s as materialized (
    select
        created_at, id, record_count,
        coalesce(lead(created_at) over (order by created_at, id), 'infinity') as next_created_at,
        coalesce(lead(id) over (order by created_at, id), 9223372036854775807) as next_id
    from page_index
    where list = 'invoices'
), cut as materialized (
    select s.created_at, s.id, s.record_count, c.created_at as cut_created_at, c.id as cut_id, 4096 - o.delta as remaining
    from s
    cross join lateral (
        select r.created_on as created_at, r.id
        from invoices r
        where (r.created_on, r.id) >= (s.created_at, s.id) and (r.created_on, r.id) < (s.next_created_at, s.next_id)
        order by r.created_on, r.id
        offset 4096
        limit 1
    ) c
    cross join lateral (
        select coalesce(sum(e.delta), 0) as delta
        from (
            select t.delta, t.created_at, t.id
            from invoice_changes t
            where t.batch_id >= $1
        ) e
        where (e.created_at, e.id) >= (s.created_at, s.id) and (e.created_at, e.id) < (c.created_at, c.id)
    ) o
    where s.record_count > 8192
), shortened as (
    update page_index i
    set record_count = cut.remaining
    from cut
    where i.list = 'invoices' and i.created_at = cut.created_at and i.id = cut.id
)
insert into page_index (list, created_at, id, record_count)
select 'invoices', cut_created_at, cut_id, record_count - remaining
from cut;

-- split segments of invoice_lines
with s as materialized (
    select
        created_at, id, record_count,
        coalesce(lead(created_at) over (order by created_at, id), 'infinity') as next_created_at,
        coalesce(lead(id) over (order by created_at, id), 9223372036854775807) as next_id
    from page_index
    where list = 'invoice_lines'
), cut as materialized (
    select s.created_at, s.id, s.record_count, c.created_at as cut_created_at, c.id as cut_id, 4096 - o.delta as remaining
    from s
    cross join lateral (
        select '-infinity'::timestamptz as created_at, r.id
        from invoice_lines r
        where r.id >= s.id and r.id < s.next_id
        order by r.id
        offset 4096
        limit 1
    ) c
    cross join lateral (
        select coalesce(sum(e.delta), 0) as delta
        from (
            select t.delta, t.created_at, t.id
            from (
                select t.batch_id, t.delta, '-infinity'::timestamptz as created_at, l.id
                from invoice_changes t
                cross join lateral unnest(t.line_ids) l (id)
            ) t
            where t.batch_id >= $1
        ) e
        where (e.created_at, e.id) >= (s.created_at, s.id) and (e.created_at, e.id) < (c.created_at, c.id)
    ) o
    where s.record_count > 8192
), shortened as (
    update page_index i
    set record_count = cut.remaining
    from cut
    where i.list = 'invoice_lines' and i.created_at = cut.created_at and i.id = cut.id
)
insert into page_index (list, created_at, id, record_count)
select 'invoice_lines', cut_created_at, cut_id, record_count - remaining
from cut;
