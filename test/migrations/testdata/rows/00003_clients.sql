insert into clients (
    version, user_id, type, name, name_key, email, email_key, phone, phone_key, real_address, real_address_key, description, description_key,
    company_address, bank_details, person_details, created_at, updated_at)
values
    (1, 2, 1, 'Zölw & Söhne', 'zölw & söhne', 'a@example.org', 'a@example.org', '1', '1', 'Street', 'street', repeat('D', 65535), repeat('d', 65535),
        'Seat', 'IBAN', null, '2022-01-01 00:00:00+00', '2022-01-01 00:00:00+00'),
    (7, 2, 2, repeat('P', 255), repeat('p', 255), null, null, null, null, null, null, null, null,
        null, null, 'passport', '2022-01-01 00:00:00+00', '2023-01-01 00:00:00+00'),
    (1, 1, 1, 'Nobody', 'nobody', null, null, null, null, null, null, null, null,
        null, null, null, '2099-12-31 23:59:59.999999+00', '2099-12-31 23:59:59.999999+00');

insert into deals (version, name, name_key, client_id, user_id, type_id, status_id, created_at, updated_at)
values
    (1, 'Roof', 'roof', 1, 2, 1, 1, '2022-02-01 00:00:00+00', '2022-02-01 00:00:00+00'),
    (2, 'Door', 'door', 2, 2, null, 2, '2022-02-01 00:00:00+00', '2022-03-01 00:00:00+00'),
    (1, 'Inquiry', 'inquiry', null, 1, 2, 1, '2022-02-02 00:00:00+00', '2022-02-02 00:00:00+00');

insert into offers (version, deal_id, number, number_key, date, notice, notice_key, created_on)
values
    (1, 1, 'O-1', 'o-1', '1900-01-01 00:00:00', 'First', 'first', '2022-02-03 00:00:00+00'),
    (2, 3, repeat('9', 64), repeat('9', 64), null, null, null, '2022-02-03 00:00:00+00');

insert into contracts (version, deal_id, number, number_key, date, notice, notice_key, created_on)
values
    (1, 2, 'C-1', 'c-1', '9999-12-31 23:59:59', repeat('N', 65535), repeat('n', 65535), '2022-02-04 00:00:00+00'),
    (2, 3, 'C-2', 'c-2', null, null, null, '2022-02-04 00:00:00+00');

insert into contacts (version, client_id, deal_id, name, name_key, phone, phone_key, mobile, mobile_key, email, email_key, rank, rank_key)
values
    (1, 1, null, 'Cy', 'cy', '1', '1', '2', '2', 'cy@example.org', 'cy@example.org', 'Head', 'head'),
    (2, null, 3, 'Di', 'di', null, null, null, null, null, null, null, null);
