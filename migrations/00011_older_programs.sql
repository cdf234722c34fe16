-- A program that knows fewer migrations than the database has may serve beside a
-- newer one. It leaves the read models that it does not know without what it
-- writes.

-- +goose Up

-- lowest_level is the lowest number of a newest migration that a program must know
-- to get a connection.
alter table settings
    drop constraint settings_name_known,
    add constraint settings_name_known check (name in ('timezone', 'lowest_level'));

-- A model is whole if no program has written without it since it was made. It is
-- read if it is ready and whole. Programs of before ask only for ready, and make
-- it so themselves.
alter table readmodels
    add column lists_whole boolean not null default false,
    add column search_whole boolean not null default false;

-- Programs of before 00008 write no month of a payment, and could write no payment
-- at all. The month is put right when lists are made anew.
alter table invoices drop constraint invoices_paid_month_if_paid;

-- +goose Down
select set_config('timezone', coalesce((select value from settings where name = 'timezone'), current_setting('timezone')), true);

update invoices
set paid_month = (extract(year from paid_on) * 12 + extract(month from paid_on) - 1)::integer
where paid_month is distinct from (extract(year from paid_on) * 12 + extract(month from paid_on) - 1)::integer;

alter table invoices
    add constraint invoices_paid_month_if_paid check ((paid_on is null) = (paid_month is null));

update readmodels
set lists_ready = lists_ready and lists_whole, search_ready = search_ready and search_whole;

alter table readmodels drop column lists_whole, drop column search_whole;

delete from settings where name = 'lowest_level';
alter table settings
    drop constraint settings_name_known,
    add constraint settings_name_known check (name in ('timezone'));
