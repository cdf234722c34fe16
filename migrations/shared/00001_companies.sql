-- +goose Up
create table companies (
    code       text collate "C" not null,
    name       text collate "C" not null,
    state      text collate "C" not null,
    time_zone  text not null,
    migration  bigint not null,
    created_at timestamptz not null,
    constraint companies_pk primary key (code),
    constraint companies_name_unique unique (name),
    constraint companies_code_form check (code ~ '^[0-9a-f]{8}$'),
    constraint companies_name_form check (name ~ '^[a-z][a-z0-9-]{0,62}$'),
    constraint companies_state_known check (state in ('adding', 'active', 'disabled', 'removing')),
    constraint companies_migration_not_negative check (migration >= 0)
);

-- Grows with each change of a company. Services compare it with that of the companies they know.
create table catalogue (
    name    text collate "C" not null,
    version bigint not null,
    constraint catalogue_pk primary key (name),
    constraint catalogue_one_row check (name = 'companies')
);

insert into catalogue (name, version) values ('companies', 1);

-- +goose Down
drop table catalogue;
drop table companies;
