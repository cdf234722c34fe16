select id, version, username, coalesce(fname, '') as fname, coalesce(lname, '') as lname, coalesce(email, '') as email, role::text as role, disabled, created_at, updated_at
from users;

insert into users (username, username_key, fname, fname_key, lname, lname_key, name, name_key, email, email_key, role, disabled, created_at, updated_at, id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, coalesce($15, nextval('users_id_seq')))
returning id, version;

update users
set version = version + 1, username = $1, username_key = $2, fname = $3, fname_key = $4, lname = $5, lname_key = $6, name = $7, name_key = $8, email = $9, email_key = $10, role = $11, disabled = $12, created_at = $13, updated_at = $14
where id = $15;

delete from users where id = $1;

select id, version, name, is_default, coalesce(color, '') as color
from statuses;

insert into statuses (name, name_key, is_default, color, id)
values ($1, $2, $3, $4, coalesce($5, nextval('statuses_id_seq')))
returning id, version;

update statuses
set version = version + 1, name = $1, name_key = $2, is_default = $3, color = $4
where id = $5;

delete from statuses where id = $1;

select id, version, name
from deal_types;

insert into deal_types (name, name_key, id)
values ($1, $2, coalesce($3, nextval('deal_types_id_seq')))
returning id, version;

update deal_types
set version = version + 1, name = $1, name_key = $2
where id = $3;

delete from deal_types where id = $1;

select id, version, name
from invoice_types;

insert into invoice_types (name, name_key, id)
values ($1, $2, coalesce($3, nextval('invoice_types_id_seq')))
returning id, version;

update invoice_types
set version = version + 1, name = $1, name_key = $2
where id = $3;

delete from invoice_types where id = $1;

select id, version, status, name, coalesce(company_name, '') as company_name, coalesce(company_address, '') as company_address, coalesce(real_address, '') as real_address, coalesce(bank_details, '') as bank_details, coalesce(company_details, '') as company_details, coalesce(leader, '') as leader, coalesce(leader_rank, '') as leader_rank, coalesce(booker, '') as booker, coalesce(phone, '') as phone, coalesce(email, '') as email, vat_use, vat_percent::text as vat_percent, coalesce(stamp_file, '') as stamp_file, coalesce(leader_sig_file, '') as leader_sig_file, coalesce(booker_sig_file, '') as booker_sig_file, coalesce(logo, '') as logo, created_at, updated_at, coalesce(ref, '') as ref
from performers;

insert into performers (status, name, name_key, company_name, company_name_key, company_address, real_address, bank_details, company_details, leader, leader_rank, booker, phone, phone_key, email, email_key, vat_use, vat_percent, stamp_file, leader_sig_file, booker_sig_file, logo, created_at, updated_at, ref, id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, coalesce($26, nextval('performers_id_seq')))
returning id, version;

update performers
set version = version + 1, status = $1, name = $2, name_key = $3, company_name = $4, company_name_key = $5, company_address = $6, real_address = $7, bank_details = $8, company_details = $9, leader = $10, leader_rank = $11, booker = $12, phone = $13, phone_key = $14, email = $15, email_key = $16, vat_use = $17, vat_percent = $18, stamp_file = $19, leader_sig_file = $20, booker_sig_file = $21, logo = $22, created_at = $23, updated_at = $24, ref = $25
where id = $26;

delete from performers where id = $1;

select id, version, user_id, type, name, coalesce(email, '') as email, coalesce(phone, '') as phone, coalesce(real_address, '') as real_address, coalesce(description, '') as description, coalesce(company_address, '') as company_address, coalesce(bank_details, '') as bank_details, coalesce(person_details, '') as person_details, created_at, updated_at, coalesce(ref, '') as ref
from clients;

insert into clients (user_id, type, name, name_key, email, email_key, phone, phone_key, real_address, description, company_address, bank_details, person_details, created_at, updated_at, ref, id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, coalesce($17, nextval('clients_id_seq')))
returning id, version;

update clients
set version = version + 1, user_id = $1, type = $2, name = $3, name_key = $4, email = $5, email_key = $6, phone = $7, phone_key = $8, real_address = $9, description = $10, company_address = $11, bank_details = $12, person_details = $13, created_at = $14, updated_at = $15, ref = $16
where id = $17;

delete from clients where id = $1;

select id, version, client_id, deal_id, name, coalesce(phone, '') as phone, coalesce(mobile, '') as mobile, coalesce(email, '') as email, coalesce(rank, '') as rank, coalesce(ref, '') as ref
from contacts;

insert into contacts (client_id, deal_id, name, name_key, phone, phone_key, mobile, mobile_key, email, email_key, rank, updated_at, ref, id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, coalesce($14, nextval('contacts_id_seq')))
returning id, version;

update contacts
set version = version + 1, client_id = $1, deal_id = $2, name = $3, name_key = $4, phone = $5, phone_key = $6, mobile = $7, mobile_key = $8, email = $9, email_key = $10, rank = $11, updated_at = greatest(updated_at, $12), ref = $13
where id = $14;

delete from contacts where id = $1;

select id, version, name, coalesce(client_id, 0) as client_id, user_id, coalesce(type_id, 0) as type_id, status_id, created_at, updated_at, coalesce(ref, '') as ref
from deals;

insert into deals (name, name_key, client_id, user_id, type_id, status_id, created_at, updated_at, ref, id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10, nextval('deals_id_seq')))
returning id, version;

update deals
set version = version + 1, name = $1, name_key = $2, client_id = $3, user_id = $4, type_id = $5, status_id = $6, created_at = $7, updated_at = $8, ref = $9
where id = $10;

delete from deals where id = $1;

select id, version, deal_id, number, date, coalesce(notice, '') as notice, created_on
from offers;

insert into offers (deal_id, number, number_key, date, notice, created_on, updated_at, id)
values ($1, $2, $3, $4, $5, $6, $7, coalesce($8, nextval('offers_id_seq')))
returning id, version;

update offers
set version = version + 1, deal_id = $1, number = $2, number_key = $3, date = $4, notice = $5, created_on = $6, updated_at = greatest(updated_at, $7)
where id = $8;

delete from offers where id = $1;

select id, version, deal_id, number, date, coalesce(notice, '') as notice, created_on
from contracts;

insert into contracts (deal_id, number, number_key, date, notice, created_on, updated_at, id)
values ($1, $2, $3, $4, $5, $6, $7, coalesce($8, nextval('contracts_id_seq')))
returning id, version;

update contracts
set version = version + 1, deal_id = $1, number = $2, number_key = $3, date = $4, notice = $5, created_on = $6, updated_at = greatest(updated_at, $7)
where id = $8;

delete from contracts where id = $1;

select id, version, name, resource, operations, variables, coalesce(expression, '') as expression, coalesce(message, '') as message, coalesce(field, '') as field, forbidden, mode::text as mode, source::text as source, created_at, updated_at
from rules;

insert into rules (name, resource, operations, variables, expression, message, field, forbidden, mode, source, created_at, updated_at, id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, coalesce($13, nextval('rules_id_seq')))
returning id, version;

update rules
set version = version + 1, name = $1, resource = $2, operations = $3, variables = $4, expression = $5, message = $6, field = $7, forbidden = $8, mode = $9, source = $10, created_at = $11, updated_at = $12
where id = $13;

delete from rules where id = $1;

select coalesce(performer_id, 0) as performer_id, coalesce(client_id, 0) as client_id, version, coalesce(legal_name, '') as legal_name, coalesce(street, '') as street, coalesce(street2, '') as street2, coalesce(zip, '') as zip, coalesce(city, '') as city, coalesce(region, '') as region, coalesce(country, '') as country, coalesce(vat_id, '') as vat_id, coalesce(tax_number, '') as tax_number, coalesce(registration_id, '') as registration_id, coalesce(registration_scheme, '') as registration_scheme, coalesce(iban, '') as iban, coalesce(bic, '') as bic, coalesce(contact_name, '') as contact_name, coalesce(contact_phone, '') as contact_phone, coalesce(contact_email, '') as contact_email, coalesce(endpoint_id, '') as endpoint_id, coalesce(endpoint_scheme, '') as endpoint_scheme, coalesce(buyer_reference, '') as buyer_reference, coalesce(language, '') as language, coalesce(currency, '') as currency, coalesce(vat_category, '') as vat_category, coalesce(vat_reason, '') as vat_reason, coalesce(number_pattern, '') as number_pattern, coalesce(credit_pattern, '') as credit_pattern, numbering, digits, chronological, payment_days, coalesce(discount_percent, 0)::text as discount_percent, discount_days, coalesce(vat_reason_code, '') as vat_reason_code, coalesce(account_holder, '') as account_holder, coalesce(account_number, '') as account_number, coalesce(seller_id, '') as seller_id, coalesce(seller_id_scheme, '') as seller_id_scheme, coalesce(legal_text, '') as legal_text, coalesce(buyer_id, '') as buyer_id, coalesce(buyer_id_scheme, '') as buyer_id_scheme, terms
from parties;

insert into parties (performer_id, client_id, legal_name, street, street2, zip, city, region, country, vat_id, tax_number, registration_id, registration_scheme, iban, bic, contact_name, contact_phone, contact_email, endpoint_id, endpoint_scheme, buyer_reference, language, currency, vat_category, vat_reason, number_pattern, credit_pattern, numbering, digits, chronological, payment_days, discount_percent, discount_days, vat_reason_code, account_holder, account_number, seller_id, seller_id_scheme, legal_text, buyer_id, buyer_id_scheme, terms, id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, coalesce($43, nextval('parties_id_seq')));

update parties
set performer_id = $1, client_id = $2, version = version + 1, legal_name = $3, street = $4, street2 = $5, zip = $6, city = $7, region = $8, country = $9, vat_id = $10, tax_number = $11, registration_id = $12, registration_scheme = $13, iban = $14, bic = $15, contact_name = $16, contact_phone = $17, contact_email = $18, endpoint_id = $19, endpoint_scheme = $20, buyer_reference = $21, language = $22, currency = $23, vat_category = $24, vat_reason = $25, number_pattern = $26, credit_pattern = $27, numbering = $28, digits = $29, chronological = $30, payment_days = $31, discount_percent = $32, discount_days = $33, vat_reason_code = $34, account_holder = $35, account_number = $36, seller_id = $37, seller_id_scheme = $38, legal_text = $39, buyer_id = $40, buyer_id_scheme = $41, terms = $42;

select id, user_id, public_id, secret_hash, created_at, expires_at, revoked_at, last_used_at, coalesce(label, '') as label, coalesce(scopes, '') as scopes
from tokens;

insert into tokens (user_id, public_id, secret_hash, created_at, expires_at, revoked_at, last_used_at, label, scopes, id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10, nextval('tokens_id_seq')));

select t.*, u.role, u.disabled
from (
select id, user_id, public_id, secret_hash, created_at, expires_at, revoked_at, last_used_at, coalesce(label, '') as label, coalesce(scopes, '') as scopes
from tokens
where public_id = $1
) t
join users u on u.id = t.user_id;

select s.version, r.*
from rule_set s
left join (
select id, version, name, resource, operations, variables, coalesce(expression, '') as expression, coalesce(message, '') as message, coalesce(field, '') as field, forbidden, mode::text as mode, source::text as source, created_at, updated_at
from rules
) r on true
order by r.name;

select id, version, user_id, number, date, performer_id, client_id, deal_id, type_id, status, coalesce(notice, '') as notice, vat_use, vat_percent::text as vat_percent, digits = 2 as digits, discount_percent::text as discount_percent, adjustments, coalesce(currency, '') as currency, coalesce(exchange_rate, 0)::text as exchange_rate, rate_sums, vat, terms, total_count, total_price::text as total_price, vat_price::text as vat_price, pay_price::text as pay_price, owed_price::text as owed_price, paid_price::text as paid_price, waived_price::text as waived_price, automatic_price::text as automatic_price, set_off_price::text as set_off_price, created_on, updated_on, paid_on, due_date, coalesce(discount_percent_early, 0)::text as discount_percent_early, discount_until, issued_on, coalesce(credits, 0) as credits, coalesce(ref, '') as ref, coalesce(text_bytes, 0) as text_bytes, text_bytes_version is not distinct from version as text_bytes_version
from invoices;

with h as (
insert into invoices (user_id, number, number_key, date, performer_id, client_id, deal_id, type_id, status, notice, vat_use, vat_percent, digits, discount_percent, adjustments, currency, exchange_rate, rate_sums, vat, terms, total_count, total_price, vat_price, pay_price, owed_price, paid_price, waived_price, automatic_price, set_off_price, created_on, updated_on, paid_on, paid_month, due_date, discount_percent_early, discount_until, issued_on, credits, ref, text_bytes, text_bytes_version, id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, (extract(year from ($33::timestamptz at time zone current_setting('timezone'))) * 12 + extract(month from ($33::timestamptz at time zone current_setting('timezone'))) - 1)::integer, $34, $35, $36, $37, $38, $39, $40, 1, coalesce($41, nextval('invoices_id_seq')))
returning id
), added as (
insert into invoice_lines (id, invoice_id, name, name_key, units, count, price, base_count, discount_percent, adjustments, vat_category, vat_percent, description, item_number, buyer_item_number, gtin, note, total_price, credits, period_from, period_to)
select coalesce(l.id, nextval('invoice_lines_id_seq')), h.id, l.name, l.name_key, l.units, l.count, l.price, l.base_count, l.discount_percent, l.adjustments, l.vat_category, l.vat_percent, l.description, l.item_number, l.buyer_item_number, l.gtin, l.note, l.total_price, l.credits, l.period_from, l.period_to
from h, unnest($42::text[], $43::text[], $44::text[], $45::text[]::numeric[], $46::text[]::numeric[], $47::text[]::numeric[], $48::text[]::numeric[], $49::text[]::jsonb[], $50::text[], $51::text[]::numeric[], $52::text[], $53::text[], $54::text[], $55::text[], $56::text[], $57::text[]::numeric[], $58::bigint[], $59::text[]::date[], $60::text[]::date[], $61::bigint[]) with ordinality as l (name, name_key, units, count, price, base_count, discount_percent, adjustments, vat_category, vat_percent, description, item_number, buyer_item_number, gtin, note, total_price, credits, period_from, period_to, id, place)
order by l.place
returning id
)
select h.id, array(select a.id from added a order by a.id)
from h;

update invoices
set version = version + 1, user_id = $1, number = $2, number_key = $3, date = $4, performer_id = $5, client_id = $6, deal_id = $7, type_id = $8, status = $9, notice = $10, vat_use = $11, vat_percent = $12, digits = $13, discount_percent = $14, adjustments = $15, currency = $16, exchange_rate = $17, rate_sums = $18, vat = $19, terms = $20, total_count = $21, total_price = $22, vat_price = $23, pay_price = $24, owed_price = $25, paid_price = $26, waived_price = $27, automatic_price = $28, set_off_price = $29, created_on = $30, updated_on = $31, paid_on = $32, paid_month = (extract(year from ($33::timestamptz at time zone current_setting('timezone'))) * 12 + extract(month from ($33::timestamptz at time zone current_setting('timezone'))) - 1)::integer, due_date = $34, discount_percent_early = $35, discount_until = $36, issued_on = $37, credits = $38, ref = $39, text_bytes = $40, text_bytes_version = version + 1
where id = $41;

select id, version, name, coalesce(units, '') as units, count::text as count, price::text as price, coalesce(base_count, 0)::text as base_count, discount_percent::text as discount_percent, adjustments, coalesce(vat_category, '') as vat_category, coalesce(vat_percent, 0)::text as vat_percent, coalesce(description, '') as description, coalesce(item_number, '') as item_number, coalesce(buyer_item_number, '') as buyer_item_number, coalesce(gtin, '') as gtin, coalesce(note, '') as note, total_price::text as total_price, coalesce(credits, 0) as credits, coalesce(period_from::text, '') as period_from, coalesce(period_to::text, '') as period_to
from invoice_lines;

with h as (
    select $1::bigint as id
), added as (
insert into invoice_lines (id, invoice_id, name, name_key, units, count, price, base_count, discount_percent, adjustments, vat_category, vat_percent, description, item_number, buyer_item_number, gtin, note, total_price, credits, period_from, period_to)
select coalesce(l.id, nextval('invoice_lines_id_seq')), h.id, l.name, l.name_key, l.units, l.count, l.price, l.base_count, l.discount_percent, l.adjustments, l.vat_category, l.vat_percent, l.description, l.item_number, l.buyer_item_number, l.gtin, l.note, l.total_price, l.credits, l.period_from, l.period_to
from h, unnest($2::text[], $3::text[], $4::text[], $5::text[]::numeric[], $6::text[]::numeric[], $7::text[]::numeric[], $8::text[]::numeric[], $9::text[]::jsonb[], $10::text[], $11::text[]::numeric[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[]::numeric[], $18::bigint[], $19::text[]::date[], $20::text[]::date[], $21::bigint[]) with ordinality as l (name, name_key, units, count, price, base_count, discount_percent, adjustments, vat_category, vat_percent, description, item_number, buyer_item_number, gtin, note, total_price, credits, period_from, period_to, id, place)
order by l.place
returning id
)
select array(select a.id from added a order by a.id);

update invoice_lines i
set version = i.version + 1, (name, name_key, units, count, price, base_count, discount_percent, adjustments, vat_category, vat_percent, description, item_number, buyer_item_number, gtin, note, total_price, credits, period_from, period_to) = (l.name, l.name_key, l.units, l.count, l.price, l.base_count, l.discount_percent, l.adjustments, l.vat_category, l.vat_percent, l.description, l.item_number, l.buyer_item_number, l.gtin, l.note, l.total_price, l.credits, l.period_from, l.period_to)
from unnest($1::text[], $2::text[], $3::text[], $4::text[]::numeric[], $5::text[]::numeric[], $6::text[]::numeric[], $7::text[]::numeric[], $8::text[]::jsonb[], $9::text[], $10::text[]::numeric[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[]::numeric[], $17::bigint[], $18::text[]::date[], $19::text[]::date[], $20::bigint[]) as l (name, name_key, units, count, price, base_count, discount_percent, adjustments, vat_category, vat_percent, description, item_number, buyer_item_number, gtin, note, total_price, credits, period_from, period_to, id)
where i.id = l.id;

