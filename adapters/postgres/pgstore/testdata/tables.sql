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

insert into statuses (name, name_key, is_default, color, color_key, id)
values ($1, $2, $3, $4, $5, coalesce($6, nextval('statuses_id_seq')))
returning id, version;

update statuses
set version = version + 1, name = $1, name_key = $2, is_default = $3, color = $4, color_key = $5
where id = $6;

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

insert into performers (status, name, name_key, company_name, company_address, real_address, bank_details, company_details, leader, leader_rank, booker, phone, email, vat_use, vat_percent, stamp_file, leader_sig_file, booker_sig_file, logo, text_keys, created_at, updated_at, ref, id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, coalesce($24, nextval('performers_id_seq')))
returning id, version;

update performers
set version = version + 1, status = $1, name = $2, name_key = $3, company_name = $4, company_address = $5, real_address = $6, bank_details = $7, company_details = $8, leader = $9, leader_rank = $10, booker = $11, phone = $12, email = $13, vat_use = $14, vat_percent = $15, stamp_file = $16, leader_sig_file = $17, booker_sig_file = $18, logo = $19, text_keys = $20, created_at = $21, updated_at = $22, ref = $23
where id = $24;

delete from performers where id = $1;

select id, version, user_id, type, name, coalesce(email, '') as email, coalesce(phone, '') as phone, coalesce(real_address, '') as real_address, coalesce(description, '') as description, coalesce(company_address, '') as company_address, coalesce(bank_details, '') as bank_details, coalesce(person_details, '') as person_details, created_at, updated_at, coalesce(ref, '') as ref
from clients;

insert into clients (user_id, type, name, name_key, email, email_key, phone, phone_key, real_address, real_address_key, description, description_key, company_address, bank_details, person_details, created_at, updated_at, ref, id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, coalesce($19, nextval('clients_id_seq')))
returning id, version;

update clients
set version = version + 1, user_id = $1, type = $2, name = $3, name_key = $4, email = $5, email_key = $6, phone = $7, phone_key = $8, real_address = $9, real_address_key = $10, description = $11, description_key = $12, company_address = $13, bank_details = $14, person_details = $15, created_at = $16, updated_at = $17, ref = $18
where id = $19;

delete from clients where id = $1;

select id, version, client_id, deal_id, name, coalesce(phone, '') as phone, coalesce(mobile, '') as mobile, coalesce(email, '') as email, coalesce(rank, '') as rank, coalesce(ref, '') as ref
from contacts;

insert into contacts (client_id, deal_id, name, name_key, phone, phone_key, mobile, mobile_key, email, email_key, rank, rank_key, updated_at, ref, id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, coalesce($15, nextval('contacts_id_seq')))
returning id, version;

update contacts
set version = version + 1, client_id = $1, deal_id = $2, name = $3, name_key = $4, phone = $5, phone_key = $6, mobile = $7, mobile_key = $8, email = $9, email_key = $10, rank = $11, rank_key = $12, updated_at = greatest(updated_at, $13), ref = $14
where id = $15;

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

insert into offers (deal_id, number, number_key, date, notice, notice_key, created_on, updated_at, id)
values ($1, $2, $3, $4, $5, $6, $7, $8, coalesce($9, nextval('offers_id_seq')))
returning id, version;

update offers
set version = version + 1, deal_id = $1, number = $2, number_key = $3, date = $4, notice = $5, notice_key = $6, created_on = $7, updated_at = greatest(updated_at, $8)
where id = $9;

delete from offers where id = $1;

select id, version, deal_id, number, date, coalesce(notice, '') as notice, created_on
from contracts;

insert into contracts (deal_id, number, number_key, date, notice, notice_key, created_on, updated_at, id)
values ($1, $2, $3, $4, $5, $6, $7, $8, coalesce($9, nextval('contracts_id_seq')))
returning id, version;

update contracts
set version = version + 1, deal_id = $1, number = $2, number_key = $3, date = $4, notice = $5, notice_key = $6, created_on = $7, updated_at = greatest(updated_at, $8)
where id = $9;

delete from contracts where id = $1;

