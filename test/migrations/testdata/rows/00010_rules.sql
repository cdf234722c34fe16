insert into rules (id, version, name, resource, operations, expression, message, field, mode, source, created_at, updated_at)
values
    (1, 3, 'no-debtors', 'deal', 1, 'true', 'not yet', 'client_id', 'shadow', 'typed', '2024-05-06 07:08:09.1+00', '2024-05-07 07:08:09.2+00'),
    (2, 1, 'client-stays', 'client', 7, null, null, null, 'warn', 'program', '2024-05-06 07:08:09.1+00', '2024-05-06 07:08:09.1+00');

update rule_set
set version = 7;

insert into rule_counts (rule_id, evaluated, refused, would_refuse)
values (1, 11, 2, 3);

insert into rule_violations (id, rule_id, record_id, user_id, at, message)
values (5, 1, 9, 8, '2024-05-08 07:08:09.3+00', 'not yet'), (6, 1, null, null, '2024-05-08 07:08:10.3+00', 'not yet');

update deal_history
set cause = 'deal-follows-payment';
