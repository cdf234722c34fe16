insert into rule_trials (
    id, rule_id, name, resource, operations, expression, message, field, user_id, state, error, done, passed, refused, failed, refusals, failures,
    started_at, seen_at, ended_at
)
values (
    1, 1, 'no-debtors', 'deal', 1, 'true', 'not yet', 'client_id', 8, 'failed', 'interrupted', 0.5, 12, 1, 1,
    '[{"record_id": 4, "message": "not yet"}]', '[{"record_id": 5, "message": "null"}]',
    '2024-05-08 07:08:09.1+00', '2024-05-08 07:08:09.2+00', '2024-05-08 07:08:09.3+00'
);
