-- The first answers to creations that carried an Idempotency-Key: a creation
-- that is asked for again gets the same bytes and makes nothing. A row without
-- a status is one whose creation is still running, and never committed.

-- +goose Up
create table answers (
    user_id      bigint not null,
    path         text collate "C" not null,
    key          text collate "C" not null,
    fingerprint  bytea not null,
    claimed_at   timestamptz not null,
    status       smallint,
    location     text,
    content_type text,
    etag         text,
    body         bytea,
    constraint answers_pk primary key (user_id, path, key),
    constraint answers_user_fk foreign key (user_id) references users (id),
    constraint answers_path_length check (char_length(path) between 1 and 255),
    constraint answers_key_length check (char_length(key) between 1 and 255),
    constraint answers_fingerprint_length check (octet_length(fingerprint) = 32)
);

-- For taking away what has expired.
create index answers_claimed_at on answers (claimed_at);

-- +goose Down
drop table answers;
