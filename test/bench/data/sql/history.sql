-- The entries that the service would have written for the deals and invoices of the clients from $1 up to $2 of $3: one for each
-- deal, and one for each invoice, which has a higher id than that of its deal.

insert into deal_history (id, deal_id, status_id, invoice_id, user_id, created_on)
select (d.id - 1) / 2 * 5 + case d.id % 2 when 1 then 1 else 4 end, d.id, d.status_id, null, d.user_id, d.created_at
from deals d
where d.id > 2 * $1::bigint and d.id <= 2 * $2::bigint and $3 > 0
union all
select (v.id - 1) / 3 * 5 + (array[2, 3, 5])[1 + (v.id - 1) % 3], v.deal_id, d.status_id, v.id, v.user_id, v.created_on
from invoices v
join deals d on d.id = v.deal_id
where v.id > 3 * $1::bigint and v.id <= 3 * $2::bigint;
