-- The :table from $1 up to $2, counted from 0, of $3 for $4 deals, which were created shortly before.

insert into :table (id, version, deal_id, number, number_key, date, notice, created_on, updated_at)
select n + 1, 1,
    greatest(1, floor(moment * $4) - floor(least(moment, 1 / 16.0) * $4 * power(bench_random(':table deal', n), 3)))::bigint,
    number, bench_key(number), case when bench_random(':table dated', n) < 0.8 then date_trunc('day', created) end,
    notice, created at time zone 'UTC', created at time zone 'UTC'
from (
    select *, format(':prefix-%s-%s', extract(year from created), lpad((n + 1)::text, 7, '0')) as number,
        case when bench_random(':table noted', n) < 0.3 then bench_remark(bench_random(':table notice', n)) end as notice
    from (
        select n, moment, bench_time(moment) at time zone 'UTC' as created
        from (select n, bench_moment(':table', n, $3) as moment from generate_series($1::bigint, $2::bigint - 1) n) moments
    ) times
) documents;
