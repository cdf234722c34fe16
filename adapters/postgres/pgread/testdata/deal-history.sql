-- /rest/deal-history
-- the whole list; rows: scan in order; total: count rows; parameters: $1 :deal_id
select counted.total, r.id, r.id, r.status_id, r.invoice_id, r.user_id, r.created_on
from (select count(*) as total from deal_history r where r.deal_id = :deal_id) as counted
left join lateral (select r.* from deal_history r where r.deal_id = :deal_id) r on true
order by r.id;
