-- The months that invoices are listed by, counted from January of the year 0.
-- That of the date follows from it; that of the payment depends on the time zone
-- that the database is kept in, so the program writes it.

-- +goose Up
-- All rows are written once, in the zone of the database, and not row by row.
alter table invoices add column paid_month integer;

select set_config('timezone', coalesce((select value from settings where name = 'timezone'), current_setting('timezone')), true);

alter table invoices
    alter column paid_month type integer
        using (extract(year from paid_on) * 12 + extract(month from paid_on) - 1)::integer,
    add column month integer not null
        generated always as ((extract(year from date) * 12 + extract(month from date) - 1)::integer) stored;

alter table invoices
    add constraint invoices_paid_month_if_paid check ((paid_on is null) = (paid_month is null));

-- A list of a year, or of a month of any year, is put together from the months
-- and, of each, the states: every such run is in the order of the list.
create index invoices_by_month on invoices (month, status, created_on, id);
create index invoices_by_user_month on invoices (user_id, month, created_on, id);
create index invoices_by_paid_month on invoices (paid_month, created_on, id) where paid_month is not null;
create index invoices_by_user_paid_month on invoices (user_id, paid_month, created_on, id) where paid_month is not null;

-- The default order of a list that is narrowed to one of these, and the clients
-- of a user by name.
create index clients_by_type_created on clients (type, created_at, id);
create index clients_by_user_name on clients (user_id, name_key, id);
create index deals_by_client_created on deals (client_id, created_at, id);
create index deals_by_user_created on deals (user_id, created_at, id);
create index deals_by_type_created on deals (type_id, created_at, id);
create index deals_by_status_created on deals (status_id, created_at, id);

-- +goose Down
drop index clients_by_type_created, clients_by_user_name;
drop index deals_by_client_created, deals_by_user_created, deals_by_type_created, deals_by_status_created;
drop index invoices_by_month, invoices_by_user_month, invoices_by_paid_month, invoices_by_user_paid_month;
alter table invoices drop constraint invoices_paid_month_if_paid;
alter table invoices drop column month, drop column paid_month;
