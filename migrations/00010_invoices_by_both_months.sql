-- A list of invoices that were written in some months and paid in others is put
-- together from pairs of these, each of which is in the order of the list.

-- +goose Up
create index invoices_by_paid_month_month on invoices (paid_month, month, created_on, id) where paid_month is not null;

-- +goose Down
drop index invoices_by_paid_month_month;
