-- What holds for the database as a whole, one row per name. The program writes
-- the rows; a database that was only migrated has none.

-- +goose Up
create table settings (
    name  text collate "C" not null,
    value text not null,
    constraint settings_pk primary key (name),
    constraint settings_name_known check (name in ('timezone')),
    constraint settings_value_length check (char_length(value) between 1 and 255)
);

-- +goose Down
drop table settings;
