-- +goose Up

-- How far each kind of record that expires has been purged: rows that ended up to that
-- time are gone. Purging begins there, and so does not read what earlier purges deleted.
create table purges (
    name         text collate "C" not null,
    purged_until timestamptz not null,
    constraint purges_pk primary key (name)
);

insert into purges (name, purged_until)
values ('idempotency_keys', 'epoch'), ('tokens', 'epoch');

-- For purging tokens that expired or were revoked.
create index tokens_by_end on tokens (least(expires_at, revoked_at));

-- +goose Down
drop index tokens_by_end;
drop table purges;
