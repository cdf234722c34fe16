insert into users (version, username, username_key, fname, fname_key, lname, lname_key, name, name_key, email, email_key, role, disabled, created_at, updated_at)
values
    (1, 'ada', 'ada', null, null, null, null, 'ada', 'ada', null, null, 'admin', false, '2019-12-31 23:59:59.999999+00', '2019-12-31 23:59:59.999999+00'),
    (9223372036854775807, 'Mária', 'mária', 'Mária', 'mária', 'Straße', 'strasse', 'Mária Straße', 'mária strasse', 'm@example.org', 'm@example.org', 'manager', false, '2020-02-29 12:00:00+00', '2024-02-29 12:00:00+00'),
    (2, repeat('v', 255), repeat('v', 255), repeat('ẞ', 255), repeat('ss', 255), '李', '李', repeat('n', 511), repeat('n', 511), repeat('e', 242) || '@example.org', repeat('e', 242) || '@example.org', 'viewer', true, '0001-01-01 00:00:00+00', '9999-12-31 23:59:59+00');

insert into tokens (user_id, public_id, secret_hash, created_at, expires_at, revoked_at, last_used_at)
values
    (2, 'feed01', sha256('a'), '2024-01-01 00:00:00+00', null, null, null),
    (2, 'feed02', sha256('b'), '2024-01-01 00:00:00+00', '2024-01-01 00:00:00.000001+00', '2024-02-01 00:00:00+00', '2024-03-01 00:00:00+00');
