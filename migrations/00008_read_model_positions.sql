-- +goose Up
lock table change_batches, read_model_state;

-- Workers of all instances open a batch only some time after the one before.
alter table change_batches add column opened_at timestamptz not null default now();

-- The positions that the sums have reached: batch_id is the first batch that they do
-- not include. The fold that reaches a position gives it a random token, so a database
-- that has the token has everything that was folded before it, on whichever server.
-- Rows are kept as long as the changes since them.
create table read_model_positions (
    batch_id   bigint not null,
    token      uuid not null default gen_random_uuid(),
    reached_at timestamptz not null default now(),
    constraint read_model_positions_pk primary key (batch_id)
);

insert into read_model_positions (batch_id)
select oldest_open_batch
from read_model_state;

-- One is added whenever a read model is marked as not ready, so that a rebuild that
-- began before does not mark it as ready.
alter table read_model_state add column invalidations bigint not null default 0;

-- A process that rebuilds read models of a kind holds the lock of its row meanwhile.
create table read_model_rebuilds (
    kind text collate "C" not null,
    constraint read_model_rebuilds_pk primary key (kind),
    constraint read_model_rebuilds_kind_known check (kind in ('lists', 'search'))
);

insert into read_model_rebuilds (kind)
values ('lists'), ('search');

-- +goose Down
drop table read_model_rebuilds, read_model_positions;
alter table read_model_state drop column invalidations;
alter table change_batches drop column opened_at;
