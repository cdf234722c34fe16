-- +goose Up

-- Settings of the database as a whole, one row per name. The application writes
-- timezone at its first start. minimum_version is the number of the newest
-- migration that a program must know to get a connection; migrations write it. A
-- database that was only migrated has no rows.
create table settings (
    name  text collate "C" not null,
    value text not null,
    constraint settings_pk primary key (name),
    constraint settings_name_known check (name in ('timezone', 'minimum_version')),
    constraint settings_value_length check (char_length(value) between 1 and 255)
);

-- The first responses to creations that carried an Idempotency-Key: a repeated
-- creation gets the same response and creates nothing. A row without a response
-- belongs to a creation that is still running; it is never committed.
create table idempotency_keys (
    user_id     bigint not null,
    path        text collate "C" not null,
    key         text collate "C" not null,
    fingerprint bytea not null,
    claimed_at  timestamptz not null,
    response    bytea,
    constraint idempotency_keys_pk primary key (user_id, path, key),
    constraint idempotency_keys_user_fk foreign key (user_id) references users (id),
    constraint idempotency_keys_path_length check (char_length(path) between 1 and 255),
    constraint idempotency_keys_key_length check (char_length(key) between 1 and 255),
    constraint idempotency_keys_fingerprint_length check (octet_length(fingerprint) = 32)
);

-- For removing expired rows.
create index idempotency_keys_by_claimed_at on idempotency_keys (claimed_at);

-- +goose Down
drop table idempotency_keys;
drop table settings;
