-- A list sorted by one short attribute is read in the order of an index, however
-- long it is. Descriptions, addresses and the other long texts have none, and
-- performers are few.

-- +goose Up
create index clients_by_user_id on clients (user_id, id);
create index clients_by_type on clients (type, id);
create index clients_by_phone on clients (phone_key, id);
create index clients_by_updated on clients (updated_at, id);

create index deals_by_name on deals (name_key, id);
create index deals_by_updated on deals (updated_at, id);

create index offers_by_number on offers (number_key, id);
create index offers_by_date on offers (date, id);
create index contracts_by_number on contracts (number_key, id);
create index contracts_by_date on contracts (date, id);

create index invoices_by_user_id on invoices (user_id, id);
create index invoices_by_deal_id on invoices (deal_id, id);
create index invoices_by_is_paid on invoices ((status in (2, 3)), id);
create index invoices_by_is_closed on invoices ((status in (3)), id);
create index invoices_by_total_count on invoices (total_count, id);
create index invoices_by_total_price on invoices (total_price, id);
create index invoices_by_vat_price on invoices (vat_price, id);
create index invoices_by_pay_price on invoices (pay_price, id);
create index invoices_by_updated on invoices (updated_on, id);

create index invoice_items_by_units on invoice_items (units_key, id);
create index invoice_items_by_count on invoice_items (count, id);
create index invoice_items_by_price on invoice_items (price, id);
create index invoice_items_by_total_price on invoice_items (total_price, id);

-- +goose Down
drop index clients_by_user_id, clients_by_type, clients_by_phone, clients_by_updated;
drop index deals_by_name, deals_by_updated;
drop index offers_by_number, offers_by_date, contracts_by_number, contracts_by_date;
drop index invoices_by_user_id, invoices_by_deal_id, invoices_by_is_paid, invoices_by_is_closed, invoices_by_total_count,
    invoices_by_total_price, invoices_by_vat_price, invoices_by_pay_price, invoices_by_updated;
drop index invoice_items_by_units, invoice_items_by_count, invoice_items_by_price, invoice_items_by_total_price;
