-- The month of a payment is that of the zone Europe/Berlin, in which the database is kept.
insert into invoices (
    version, user_id, number, number_key, date, performer_id, client_id, deal_id, type_id, status, notice, notice_key, vat_use, vat_percent,
    total_count, total_price, vat_price, pay_price, created_on, paid_on, updated_on, paid_month)
values
    (2, 2, 'I-3', 'i-3', '2023-12-31 23:30:00', 1, 1, 1, 1, 2, null, null, false, 0,
        0, 999999999999999.9999, 0, 999999999999999.9999, '2023-12-31 22:30:00+00', '2023-12-31 23:30:00+00', '2023-12-31 23:30:00+00', 24288),
    (3, 2, 'I-4', 'i-4', '2024-02-29 00:00:00', 1, 2, 2, 2, 3, null, null, false, 0,
        0, -0.0001, 0, -0.0001, '2024-02-28 23:00:00+00', '2024-02-29 12:00:00+00', '2024-03-01 00:00:00+00', 24289);
