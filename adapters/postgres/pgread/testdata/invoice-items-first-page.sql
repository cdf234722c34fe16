-- /rest/invoice-items
-- first page; scan in order
select counted.total, r.id, r.id, r.version, r.id, r.invoice_id, r.name, r.units, r.count, r.price, r.base_count,
    r.discount_percent, (
    select json_agg(json_build_array((a.reason)::text, (a.percent)::text, (a.amount)::text) order by a.place)
    from rows
    from (jsonb_to_recordset(r.adjustments) as (reason text, percent numeric(5, 2), amount numeric(19, 4), vat_category text, vat_percent numeric(5, 2))) with ordinality a (reason, percent, amount, vat_category, vat_percent, place)
), r.vat_category, r.vat_percent, r.total_price, r.description, r.item_number, r.buyer_item_number, r.gtin,
    r.note, r.period_from, r.period_to
from (
    select ((
        select coalesce(sum(t.line_count), 0)
        from invoice_totals t
        where t.user_id = 0
            and t.paid_month = 0
            and t.month = 0
    ) + (
        select coalesce(sum(t.delta * t.line_count), 0)
        from invoice_changes t
        where t.batch_id >= m.oldest_open_batch
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (select r.* from invoice_lines r order by r.id limit 20) r on true
order by r.id;
