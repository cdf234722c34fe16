-- +goose NO TRANSACTION
-- +goose Up

-- Rules ask how many deals a client has in each status, and for the number, sum and first date of
-- its unpaid invoices. With these columns in the indexes, the answers need no rows of the tables.
-- All of them are in other indexes, so updates write no more entries than before.
drop index concurrently if exists deals_by_client_with_status;
drop index concurrently if exists invoices_by_client_with_amount;
set lock_timeout = 0;
create index concurrently deals_by_client_with_status on deals (client_id, id) include (status_id);
create index concurrently invoices_by_client_with_amount on invoices (client_id, created_on, id) include (status, date, pay_price);
reset lock_timeout;
drop index concurrently if exists deals_by_client;
drop index concurrently if exists invoices_by_client;

-- +goose Down
drop index concurrently if exists deals_by_client;
drop index concurrently if exists invoices_by_client;
set lock_timeout = 0;
create index concurrently deals_by_client on deals (client_id, id);
create index concurrently invoices_by_client on invoices (client_id, created_on, id);
reset lock_timeout;
drop index concurrently if exists deals_by_client_with_status;
drop index concurrently if exists invoices_by_client_with_amount;
