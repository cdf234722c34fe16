-- /rest/payment?fields=id&invoice_id=7,8
-- first page; count and sort matches; $1 = [7 8]
with matches as materialized (
    select r.id, r.created_on as k0, r.id as k1
    from payments r
    where r.id in (
        select a.payment_id
        from allocations a
        where a.invoice_id = any($1::bigint[])
            and a.reversed_at is null
    )
)
select counted.total, r.created_on, r.id, r.version, r.id
from (select count(*) as total from matches) counted
left join lateral (
    select u.id
    from (select m.id from matches m order by m.k0 desc, m.k1 desc limit 20) u
    limit 20
) page on true
left join payments r on r.id = page.id
order by r.created_on desc, r.id desc;
