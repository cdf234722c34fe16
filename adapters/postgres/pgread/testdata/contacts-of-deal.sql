-- /rest/contact?deal_id=7
-- the whole list; count and sort matches; $1 = 7, $2 = 7
with matches as materialized (
    select r.id, r.id as k0
    from contacts r
    where (r.deal_id = $1 or r.client_id = (select d.client_id from deals d where d.id = $2))
)
select counted.total, null, r.id, r.version, r.id, r.name, r.phone, r.mobile, r.email, r.rank, r.ref
from (select count(*) as total from matches) counted
left join lateral (select u.id from (select m.id from matches m order by m.k0) u) page on true
left join contacts r on r.id = page.id
order by r.id;
