-- /rest/client?fields=name&count_deals=1
-- one record by its id; $1 = 7
select r.version, r.type, r.name, (coalesce(k.deals, 0) + coalesce(recent.deals, 0))
from clients r
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
where r.id = $1;
