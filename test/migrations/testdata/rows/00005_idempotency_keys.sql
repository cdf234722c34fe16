insert into idempotency_keys (user_id, path, key, fingerprint, claimed_at, response)
values
    (2, '/rest/client', 'k1', sha256('c'), '2024-01-01 00:00:00+00', '\x00ff'),
    (2, '/rest/client', repeat('k', 255), sha256('d'), '2024-01-01 00:00:00+00', null);
