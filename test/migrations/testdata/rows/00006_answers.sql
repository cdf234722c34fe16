insert into answers (user_id, path, key, fingerprint, claimed_at, status, location, content_type, etag, body)
values
    (2, '/rest/client', 'k1', sha256('c'), '2024-01-01 00:00:00+00', 200, 'http://localhost/rest/client/1', 'application/json', '"1"', '\x00ff'),
    (2, '/rest/client', repeat('k', 255), sha256('d'), '2024-01-01 00:00:00+00', null, null, null, null, null);
