-- /rest/deal-history
-- the whole list; count and sort matches; $1 = 7
with matches as materialized (select r.id, r.id as k0 from deal_history r where r.deal_id = $1)
select counted.total, null, r.id, r.id, r.id, r.status_id, r.invoice_id, r.user_id, r.created_on
from (select count(*) as total from matches) counted
left join lateral (select u.id from (select m.id from matches m order by m.k0) u) page on true
left join deal_history r on r.id = page.id
order by r.id;
