-- The invoices of as many clients as from $1 up to $2 of $3: three for each, of deals that were created shortly before, with
-- nine lines. Most are paid, by automatic payments, and closed, as far as time has passed until the end of 2025.

with created as materialized (
    select n, created, d.*, 1 + floor(20 * power(bench_random('performer', n), 1.5))::integer as performer_id,
        bench_random('state', n) as state, bench_later('invoice paid', n, created at time zone 'UTC') as changed
    from (
        select n, moment, bench_time(moment) at time zone 'UTC' as created
        from (select n, bench_moment('invoice', n, 3 * $3) as moment from generate_series(3 * $1::bigint, 3 * $2::bigint - 1) n) moments
    ) times
    cross join lateral (
        select id as deal_id, client_id, user_id
        from deals
        where client_id is not null and id <= greatest(1, floor(moment * 2 * $3)
            - floor(least(moment, 1 / 16.0) * 2 * $3 * power(bench_random('invoice deal', n), 3)))::bigint
        order by id desc
        limit 1
    ) d
), line as materialized (
    select first_id + k as id, n, name, units, count, price, round(count * price, 4) as total
    from (
        -- Each 32 invoices have 96 lines, which gives the ids of an invoice's lines.
        select n, n / 32 * 96 + (array[0,2,6,8,10,16,17,18,19,22,25,27,29,33,35,40,41,42,49,50,54,54,59,60,69,72,83,86,88,89,91,94])[1 + n % 32] as first_id,
            (array[2,4,2,2,6,1,1,1,3,3,2,2,4,2,5,1,1,7,1,4,0,5,1,9,3,11,3,2,1,2,3,2])[1 + n % 32] as lines
        from created
    ) invoices
    cross join generate_series(1, lines) k
    cross join lateral (
        select name, units, round(p.price * (1 + 0.02 * floor(4 * bench_random('year', first_id + k)))::numeric,
                case when bench_random('finer', first_id + k) < 0.8 then 2 else 4 end) as price,
            bench_pick(case
                when is_measured then array['0.5', '0.75', '1', '1.25', '1.333333', '2', '2.5', '3.125', '7.25', '8', '12.5', '40', '0.015625']
                else array['1', '1', '1', '1', '2', '2', '3', '4', '5', '6', '8', '10', '12', '24', '50', '100', '-1']
            end, bench_random('count', first_id + k))::numeric as count
        from bench_products p
        where p.id = floor(262 * bench_random('product', first_id + k))::integer
    ) products
), sum as (
    select n, count(*) as lines, sum(total) as total, sum(octet_length(name) + coalesce(octet_length(units), 0)) as bytes
    from line
    group by n
), state as materialized (
    select *, case
            when changed >= '2026-01-01' or state >= 0.08 and state < 0.18 then 1
            when state < 0.08 then 4
            when state < 0.6 or closed >= '2026-01-01' then 2
            else 3
        end as status
    from (
        select *, case when state < 0.8 then bench_later('invoice closed', n, changed) else changed end as closed
        from created
    ) closed
), invoice as (
    insert into invoices (
        id, version, user_id, number, number_key, date, due_date, performer_id, client_id, deal_id, type_id, status, notice, vat_use, vat_percent,
        total_count, text_bytes, text_bytes_version, total_price, vat_price, pay_price, owed_price, paid_price, automatic_price, created_on, paid_on, paid_month,
        updated_on, ref
    )
    select n + 1, version, user_id, number, bench_key(number), case
            when bench_random('dated', n) < 0.8 then date_trunc('day', created)
            when bench_random('dated', n) < 0.9 then created
            else date_trunc('day', created) - make_interval(days => 1 + floor(10 * bench_random('earlier', n))::integer)
        end, case when bench_random('due', n) < 0.1 then created::date + 14 end, performer_id, client_id, deal_id, 1 + floor(4 * power(bench_random('invoice type', n), 1.5))::integer, status, notice,
        vat_use, vat_percent, lines, bytes, version, total, vat, total + vat, round(total + vat, 2), settled, settled, created at time zone 'UTC', paid,
        extract(year from paid at time zone 'UTC') * 12 + extract(month from paid at time zone 'UTC') - 1, updated,
        case when n % 2 = 0 then 'i-' || n + 1 end
    from (
        select s.*, vat_use, vat_percent, coalesce(lines, 0) as lines, coalesce(bytes, 0) as bytes, coalesce(total, 0) as total,
            case when p.vat_use then round(coalesce(total, 0) * p.vat_percent / 100, 4) else 0 end as vat,
            format('R%s-%s-%s', lpad(performer_id::text, 2, '0'), extract(year from created), lpad((n + 1)::text, 7, '0')) as number,
            case when bench_random('noted', n) < 0.3 then bench_remark(bench_random('notice', n)) end as notice,
            case when status in (2, 3) then changed end as paid,
            case status when 1 then created at time zone 'UTC' when 3 then closed else changed end as updated,
            case when status = 1 then 1 when status = 3 and state < 0.8 then 3 else 2 end as version
        from state s
        join (select id, vat_use, vat_percent from performers) p on p.id = performer_id
        left join sum using (n)
    ) invoices
    cross join lateral (select case when paid is null then 0 else round(total + vat, 2) end as settled) s
    returning id, performer_id, client_id, paid_price, paid_on
), payment as (
    insert into payments (id, performer_id, client_id, automatic_of, date, amount, rest, created_on, updated_on)
    select id, performer_id, client_id, id, (paid_on at time zone 'UTC')::date, paid_price, 0, paid_on, paid_on
    from invoice
    where paid_price <> 0
), allocation as (
    insert into allocations (id, payment_id, invoice_id, date, amount, recorded_at)
    select id, id, id, (paid_on at time zone 'UTC')::date, paid_price, paid_on
    from invoice
    where paid_price <> 0
)
insert into invoice_lines (id, version, invoice_id, name, name_key, units, count, price, total_price)
select id, 1, n + 1, name, bench_key(name), units, count, price, total from line;
