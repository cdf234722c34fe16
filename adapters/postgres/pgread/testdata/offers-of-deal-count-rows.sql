-- /rest/offer?fields=number&deal_id=7
-- first page; rows: scan in order; total: count rows; parameters: $1 :deal_id
select counted.total, r.created_on, r.id, r.version, r.number
from (select count(*) as total from offers r where r.deal_id = :deal_id) as counted
left join lateral (
    select r.*
    from offers r
    where r.deal_id = :deal_id
    order by r.created_on desc, r.id desc
    limit 20
) r on true
order by r.created_on desc, r.id desc;
