-- +goose Up
-- Encrypts the positions that clients of the company get: see ports/position. A random one for each.
alter table companies add column position_key uuid not null default gen_random_uuid();

-- +goose Down
alter table companies drop column position_key;
