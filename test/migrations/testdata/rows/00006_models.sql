-- As after writes of which nothing is folded yet. Totals of zero mean the same as missing
-- rows.
insert into client_changes (batch_id, writer_version, delta, user_id, type)
select b.id, 1, 1, r.user_id, r.type
from clients r, change_batches b;

insert into deal_changes (batch_id, writer_version, delta, client_id, user_id, type_id, status_id)
select b.id, 1, 1, r.client_id, r.user_id, r.type_id, r.status_id
from deals r, change_batches b;

insert into offer_changes (batch_id, writer_version, delta, client_id)
select b.id, 1, 1, d.client_id
from offers r join deals d on d.id = r.deal_id, change_batches b;

insert into contract_changes (batch_id, writer_version, delta, client_id)
select b.id, 1, 1, d.client_id
from contracts r join deals d on d.id = r.deal_id, change_batches b;

insert into invoice_changes (batch_id, writer_version, delta, client_id, user_id, type_id, status, month, paid_month, line_count)
select
    b.id, 1, 1, r.client_id, r.user_id, r.type_id, r.status, r.month, r.paid_month,
    r.total_count
from invoices r, change_batches b;

insert into client_totals (user_id, type, record_count) values (0, 1, 0);
insert into deal_totals (user_id, type_id, status_id, record_count) values (0, 0, 1, 0);
insert into invoice_totals (user_id, paid_month, month, type_id, status, record_count, line_count) values (0, -1, 0, 1, 1, 0, 0);
insert into client_counts (client_id, deals, offers, contracts, invoices) values (1, 0, 0, 0, 0);

insert into client_search (id, created_at, text_key) select id, created_at, name_key from clients;
insert into deal_search (id, created_at, text_key) select id, created_at, name_key from deals;
insert into offer_search (id, created_at, text_key) select id, created_on, number_key from offers;
insert into contract_search (id, created_at, text_key) select id, created_on, number_key from contracts;
insert into invoice_search (id, created_at, text_key) select id, created_on, number_key from invoices;
