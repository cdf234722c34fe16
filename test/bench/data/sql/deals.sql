-- The deals of the clients from $1 up to $2 of $3: two for each, but not its own. One in 32 has no client yet.

insert into deals (id, version, name, name_key, client_id, user_id, type_id, status_id, created_at, updated_at, ref)
select n + 1, case when changed = moment then 1 else 2 + floor(bench_random('deal version', n) * 3)::integer end,
    deals.name, bench_key(deals.name), c.id,
    case when c.id is null or bench_random('other user', n) < 0.2 then 1 + floor(195 * power(bench_random('deal user', n), 2.5))::integer else c.user_id end,
    case when bench_random('typed', n) < 0.85 then 1 + floor(5 * power(bench_random('deal type', n), 1.5))::integer end,
    case when c.id is null then 1 + floor(3 * bench_random('status', n))::integer else 1 + floor(6 * power(bench_random('status', n), 1.5))::integer end,
    bench_time(moment), bench_time(changed), case when n % 2 = 0 then 'd-' || n + 1 end
from (
    select *, bench_changed('deal', n, moment) as changed, concat_ws(' ', bench_pick(array[
            'Conversion', 'Delivery', 'Expansion', 'Fit-out', 'Framework order', 'Inspection', 'Lagerumbau', 'Maintenance', 'Neubau',
            'Overhaul', 'Pilot', 'Relocation', 'Renewal', 'Repair', 'Replacement', 'Service contract'
        ], bench_random('undertaking', n)), (select p.name from bench_products p where p.id = floor(224 * bench_random('thing', n))::integer),
        extract(year from bench_time(moment) at time zone 'UTC')) as name
    from (select n, bench_moment('deal', n, 2 * $3) as moment from generate_series(2 * $1::bigint, 2 * $2::bigint - 1) n) moments
) deals
left join clients c on (n = 0 or bench_random('prospect', n) >= 1 / 32.0) and c.id = coalesce(
    -- Few clients have many deals: a client is drawn by its rank, until one is old enough. The prime number puts the ranks in
    -- another order than the ids.
    (
        select id
        from (
            select 1 + (3 * $3 / 8 + floor($3 * power(bench_random('rank ' || attempt, n), greatest(1.5, ln($3) / 5.6)))::bigint * 2654435761) % $3 as id,
                attempt
            from generate_series(1, 8) attempt
        ) drawn
        where id <= n / 2
        order by attempt
        limit 1
    ),
    1 + floor(bench_random('any client', n) * greatest(n / 2, 1))::bigint);
