-- +goose Up

-- The size of the names and units of all lines of an invoice, in bytes, as of that version
-- of the invoice. A program that does not know it makes the version higher; the size is
-- then computed again with the next change.
alter table invoices
add column text_bytes bigint,
add column text_bytes_version bigint;

-- +goose Down
alter table invoices
drop column text_bytes_version,
drop column text_bytes;
