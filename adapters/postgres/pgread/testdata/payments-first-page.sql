-- /rest/payment
-- first page; count and sort matches
with matches as materialized (select r.id, r.created_on as k0, r.id as k1 from payments r)
select counted.total, r.created_on, r.id, r.version, r.id, r.performer_id, r.client_id, r.date, r.amount,
    r.rest, r.automatic_of is not null, r.method, r.reference, r.notice, r.created_on, r.updated_on, (
    select json_agg(json_build_array((l.id)::text, (l.invoice_id)::text, (l.amount)::text, (l.waived)::text, (l.reason)::text) order by l.id)
    from allocations l
    where l.payment_id = r.id
        and l.reversed_at is null
), r.ref
from (select count(*) as total from matches) counted
left join lateral (
    select u.id
    from (select m.id from matches m order by m.k0 desc, m.k1 desc limit 20) u
    limit 20
) page on true
left join payments r on r.id = page.id
order by r.created_on desc, r.id desc;
