-- /rest/client?fields=name&count_deals=1&count_offers=1&count_contracts=1&count_invoices=1
-- first page; scan in order
select counted.total, r.created_at, r.id, r.version, r.type, r.name, (coalesce(k.deals, 0) + coalesce(recent.deals, 0)),
    (coalesce(k.offers, 0) + coalesce(recent.offers, 0)), (coalesce(k.contracts, 0) + coalesce(recent.contracts, 0)),
    (coalesce(k.invoices, 0) + coalesce(recent.invoices, 0))
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from client_totals t
        where t.user_id = 0
    ) + (
        select coalesce(sum(t.delta), 0)
        from client_changes t
        where t.batch_id >= m.oldest_open_batch
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (select r.* from clients r order by r.created_at desc, r.id desc limit 10) r on true
left join client_counts k on k.client_id = r.id
left join (
    select c.client_id, sum(c.delta) filter (where c.kind = 1) as deals, sum(c.delta) filter (where c.kind = 2) as offers,
        sum(c.delta) filter (where c.kind = 3) as contracts, sum(c.delta) filter (where c.kind = 4) as invoices
    from (
        select 1 as kind, t.client_id, t.delta
        from deal_changes t
        where t.batch_id >= (select m.oldest_open_batch from read_model_state m where m.id = 1)
        union all
        select 2 as kind, t.client_id, t.delta
        from offer_changes t
        where t.batch_id >= (select m.oldest_open_batch from read_model_state m where m.id = 1)
        union all
        select 3 as kind, t.client_id, t.delta
        from contract_changes t
        where t.batch_id >= (select m.oldest_open_batch from read_model_state m where m.id = 1)
        union all
        select 4 as kind, t.client_id, t.delta
        from invoice_changes t
        where t.batch_id >= (select m.oldest_open_batch from read_model_state m where m.id = 1)
    ) c
    group by c.client_id
) recent on recent.client_id = r.id
order by r.created_at desc, r.id desc;
