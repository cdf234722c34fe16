-- 200 users, the last five viewers; statuses, types, and 20 performers.

insert into users (id, username, username_key, fname, fname_key, lname, lname_key, name, name_key, email, email_key, role, created_at, updated_at)
select n, username, bench_key(username), given, bench_key(given), family, bench_key(family), given || ' ' || family,
    bench_key(given || ' ' || family), username || '@kontor.example', username || '@kontor.example',
    case when n = 1 then 'admin' when n > 195 then 'viewer' else 'manager' end, bench_time(0), bench_time(0)
from (
    select n, case when n = 1 then 'admin' else 'user' || n end as username,
        bench_given(bench_random('user given', n)) as given, bench_family(bench_random('user family', n)) as family
    from generate_series(1, 200) n
) users;

insert into statuses (id, name, name_key, is_default, color)
select n, name, bench_key(name), n = 1, color
from unnest(array['New', 'Offer made', 'In talks', 'Won', 'Delivered', 'Lost'],
    array['#1e90ff', '#f0ad4e', '#8a2be2', '#2e8b57', '#556b2f', '#9e9e9e']) with ordinality as statuses (name, color, n);

insert into deal_types (id, name, name_key)
select n, name, bench_key(name) from unnest(array['Sale', 'Project', 'Rental', 'Repair', 'Consulting']) with ordinality as types (name, n);

insert into invoice_types (id, name, name_key)
select n, name, bench_key(name) from unnest(array['Invoice', 'Advance invoice', 'Final invoice', 'Credit note']) with ordinality as types (name, n);

insert into performers (
    id, name, name_key, company_name, company_name_key, company_address, real_address, bank_details, leader, leader_rank, booker,
    phone, phone_key, email, email_key, vat_use, vat_percent, created_at, updated_at, ref
)
select n, name, bench_key(name), name || ' GmbH', bench_key(name || ' GmbH'), address, address, bank, leader, 'Managing director', booker,
    phone, phone, email, email, vat > 0, vat, bench_time(0), bench_time(0), 'k-' || n
from (
    select n, 'Kontor ' || lpad(n::text, 2, '0') as name, bench_address('performer', n) as address, 'IBAN DE00 0000 0000 ' || 1000 + n as bank,
        bench_given(bench_random('leader', n)) || ' ' || bench_family(bench_random('leader', -n)) as leader,
        bench_given(bench_random('booker', n)) || ' ' || bench_family(bench_random('booker', -n)) as booker,
        bench_phone('performer', n) as phone, format('office%s@kontor.example', n) as email,
        (array[19, 20, 7, 0, 21, 25, 8.1, 5.5, 22, 0])[1 + (n - 1) % 10]::numeric(5, 2) as vat
    from generate_series(1, 20) n
) performers;
