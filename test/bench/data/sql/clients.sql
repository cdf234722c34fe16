-- The clients from $1 up to $2, counted from 0, of $3.

insert into clients (
    id, version, user_id, type, name, name_key, email, email_key, phone, phone_key, real_address,
    description, company_address, bank_details, person_details, created_at, updated_at, ref
)
select n + 1, case when changed = moment then 1 else 2 + floor(bench_random('client version', n) * 3)::integer end,
    1 + floor(195 * power(bench_random('client user', n), 2.5))::integer, case when is_person then 2 else 1 end,
    name, bench_key(name), email, bench_key(email), phone, phone, address, description,
    case when not is_person then bench_address('company', n) end,
    case when not is_person and bench_random('bank', n) < 0.7 then 'IBAN DE00 ' || lpad(n::text, 12, '0') end,
    case when is_person and bench_random('card', n) < 0.6 then 'Identity card L' || lpad(n::text, 9, '0') end,
    bench_time(moment), bench_time(changed), case when n % 2 = 0 then 'c-' || n + 1 end
from (
    select *, bench_changed('client', n, moment) as changed,
        case
            when is_person then given || ' ' || family
            else concat_ws(' ', family, '& ' || partner, words, form)
        end as name,
        case when bench_random('client mailed', n) < 0.8 then
            case when is_person then 'Private' else 'Office' end || '@company-' || n + 1 || '.example' end as email,
        case when bench_random('client called', n) < 0.85 then bench_phone('client', n) end as phone,
        bench_address('client', n) as address,
        case when bench_random('described', n) < 0.4 then
            bench_remark(bench_random('remark', n)) || ' ' || bench_remark(bench_random('second remark', n)) end as description
    from (
        select n, bench_moment('client', n, $3) as moment, rare_word is null and common_word is null and bench_random('person', n) < 0.3 as is_person,
            bench_given(bench_random('client given', n)) as given, bench_family(bench_random('client family', n)) as family,
            case when bench_random('partner', n) < 0.35 then bench_family(bench_random('partner family', n)) end as partner,
            coalesce(nullif(concat_ws(' ', common_word, rare_word), ''), bench_pick(array[
                'Antiques', 'Bakery', 'Bikes', 'Brewery', 'Bücher', 'Carpentry', 'Catering', 'Druckerei', 'Elektro', 'Garten', 'Glas',
                'Holzbau', 'Hotels', 'Insurance', 'Logistics', 'Metallbau', 'Möbel', 'Papier', 'Pharma', 'Roofing', 'Schools',
                'Software', 'Solar', 'Textil', 'Tools', 'Toys', 'Travel', 'Weine'
            ], bench_random('trade', n))) as words,
            bench_pick(array['GmbH', 'GmbH & Co. KG', 'AG', 'Ltd', 'Inc.', 'ApS', 'AB', 's.r.o.', 'SARL'], bench_random('form', n)) as form
        from (
            select n, case when bench_random('common', n) < 0.043 then ':common' end as common_word,
                case when n * 25 / $3 <> (n + 1) * 25 / $3 then ':rare' end as rare_word
            from generate_series($1::bigint, $2::bigint - 1) n
        ) words
    ) clients
) clients;
