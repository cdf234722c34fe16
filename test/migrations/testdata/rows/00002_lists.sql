insert into statuses (version, name, name_key, is_default, color, color_key)
values (1, 'New', 'new', true, '#1e90FF', '#1e90ff'), (3, 'Won 100%', 'won 100%', false, null, null);

insert into deal_types (version, name, name_key)
values (1, 'Sale', 'sale'), (2, repeat('d', 255), repeat('d', 255));

insert into invoice_types (version, name, name_key)
values (1, 'Invoice', 'invoice'), (2, 'Credit_note', 'credit_note');

insert into performers (
    version, status, name, name_key, company_name, company_address, real_address, bank_details, company_details, leader, leader_rank, booker,
    phone, email, vat_use, vat_percent, stamp_file, leader_sig_file, booker_sig_file, logo, text_keys, created_at, updated_at)
values
    (1, 1, 'Workshop', 'workshop', 'Workshop Ltd', repeat('a', 65535), 'Here', 'IBAN', 'No 1', 'Ann Lee', 'director', 'Bo',
        '+49 1', 'w@example.org', true, 100, 's.png', 'l.png', 'b.png', 'logo.png', '{"leader": "ann lee", "email": null}', '2020-01-01 00:00:00+00', '2020-01-02 00:00:00+00'),
    (2, 2147483647, 'Next door', 'next door', null, null, null, null, null, null, null, null,
        null, null, false, 0.01, null, null, null, null, '{}', '2020-01-01 00:00:00+00', '2020-01-02 00:00:00+00');
