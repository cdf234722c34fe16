-- The month of a payment is that of the time zone Europe/Berlin, which the settings have.
insert into invoices (
    version, user_id, number, number_key, date, performer_id, client_id, deal_id, type_id, status, notice, notice_key, vat_use, vat_percent,
    total_count, total_price, vat_price, pay_price, created_on, paid_on, updated_on, paid_month)
values
    (1, 2, 'I-1', 'i-1', '1900-01-01 00:00:00', 1, 1, 1, 1, 1, 'Pay', 'pay', true, 20,
        2, 12.5000, 2.5000, 15.0000, '2023-01-01 00:00:00+00', null, '2023-01-01 00:00:00+00', null),
    (9, 1, 'I-2', 'i-2', '9999-12-31 23:59:59', 2, 2, 2, 2, 4, null, null, false, 0,
        0, 0, 0, 0, '2023-01-02 00:00:00+00', null, '2023-01-02 00:00:00+00', null),
    (2, 2, 'I-3', 'i-3', '2023-12-31 23:30:00', 1, 1, 1, 1, 2, null, null, false, 0,
        0, 999999999999999.9999, 0, 999999999999999.9999, '2023-12-31 22:30:00+00', '2023-12-31 23:30:00+00', '2023-12-31 23:30:00+00', 24288),
    (3, 2, 'I-4', 'i-4', '2024-02-29 00:00:00', 1, 2, 2, 2, 3, null, null, false, 0,
        0, -0.0001, 0, -0.0001, '2024-02-28 23:00:00+00', '2024-02-29 12:00:00+00', '2024-03-01 00:00:00+00', 24289);

insert into invoice_lines (version, invoice_id, name, name_key, units, units_key, count, price, total_price)
values
    (1, 1, 'Slate', 'slate', 'Pcs', 'pcs', 2.5, 10.0000, 25.0000),
    (3, 1, repeat('L', 65535), repeat('l', 65535), null, null, -0.000001, 12500000.0000, -12.5000);

insert into deal_history (deal_id, status_id, invoice_id, user_id, created_on)
values
    (1, 1, null, 2, '2022-02-01 00:00:00+00'),
    (1, 1, 1, 2, '2023-01-01 00:00:00+00'),
    (2, 2, 2, 1, '2023-01-02 00:00:00+00');
