-- +goose Up

-- Violations of rules expire.
insert into purges (name, purged_until) values ('rule_violations', 'epoch');

-- +goose Down
delete from purges where name = 'rule_violations';
