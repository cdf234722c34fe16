-- /rest/contact?deal_id=7
-- the whole list; rows: scan in order; total: count rows; parameters: $1 :deal_id
select counted.total, r.version, r.id, r.name, r.phone, r.mobile, r.email, r.rank
from (
    select count(*) as total
    from contacts r
    where (r.deal_id = :deal_id or r.client_id = (select d.client_id from deals d where d.id = :deal_id))
) as counted
left join lateral (
    select r.*
    from contacts r
    where (r.deal_id = :deal_id or r.client_id = (select d.client_id from deals d where d.id = :deal_id))
) r on true
order by r.id;
