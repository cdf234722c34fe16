-- The contacts of as many clients as from $1 up to $2 of $3: one and a half for each. A few are of deals without a client.

insert into contacts (id, version, client_id, deal_id, name, name_key, phone, phone_key, mobile, mobile_key, email, email_key, rank, updated_at, ref)
select n + 1, 1 + floor(bench_random('contact version', n) * 2)::integer,
    case when prospect is null then 1 + floor(bench_random('contact client', n) * $3)::bigint end, prospect,
    name, bench_key(name), phone, phone, mobile, mobile, email, bench_key(email), rank,
    bench_time(bench_moment('contacts', n, ($3 * 1.5)::bigint)), case when n % 2 = 0 then 'p-' || n + 1 end
from (
    select n, bench_given(bench_random('contact given', n)) || ' ' || bench_family(bench_random('contact family', n)) as name,
        case when bench_random('contact called', n) < 0.7 then bench_phone('contact', n) end as phone,
        case when bench_random('contact mobile', n) < 0.6 then bench_phone('mobile', n) end as mobile,
        case when bench_random('contact mailed', n) < 0.75 then 'person-' || n + 1 || '@post.example' end as email,
        case when bench_random('ranked', n) < 0.65 then bench_pick(array[
            'Accounts', 'Buyer', 'Clerk', 'Engineer', 'Foreman', 'Geschäftsführerin', 'Head of purchasing', 'Owner', 'Secretary'
        ], bench_random('rank', n)) end as rank,
        case when bench_random('of prospect', n) < 0.03 then (
            select d.id
            from deals d
            where d.client_id is null and d.id <= (bench_random('contact deal', n) * 2 * $3)::bigint
            order by d.id desc
            limit 1
        ) end as prospect
    from generate_series($1::bigint * 3 / 2, $2::bigint * 3 / 2 - 1) n
) contacts;
