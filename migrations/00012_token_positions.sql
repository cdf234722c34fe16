-- +goose Up

-- How far the database had come when a token last wrote, for services that read from
-- replicas; that of token 0 holds for all tokens. Unlogged, since writing it must cost
-- little: after a crash or a promotion it is empty, and the first service that notices
-- stores the present position for all tokens.
create unlogged table token_positions (
    token_id bigint not null,
    system_identifier bigint not null,
    timeline bigint not null,
    wal bigint not null,
    replicas text not null default '', -- in the row of token 0: which ones services use
    constraint token_positions_pk primary key (token_id)
) with (fillfactor = 50);

-- +goose Down
drop table token_positions;
