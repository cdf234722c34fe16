-- /rest/invoice?fields=number&date_from=2022-03-01&paid_to=2022-03-31&status=2,3
-- first page; count and sort matches; $1 = [2 3], $2 = 2022-03-01, $3 = 2022-03-31, $4 = 2022-03-31
with matches as materialized (
    select r.id, r.created_on as k0, r.id as k1
    from invoices r
    where r.status = any($1)
        and r.date >= $2::text::date
        and r.paid_on < $3::text::timestamptz + interval '2 days'
        and r.paid_on::date <= $4::text::date
)
select counted.total, r.created_on, r.id, r.version, r.number
from (select count(*) as total from matches) counted
left join lateral (
    select u.id
    from (select m.id from matches m order by m.k0 desc, m.k1 desc limit 20) u
    limit 20
) page on true
left join invoices r on r.id = page.id
order by r.created_on desc, r.id desc;
