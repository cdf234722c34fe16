-- /rest/rule-violations
-- first page; count and sort matches; $1 = 7
with matches as materialized (select r.id, r.id as k0 from rule_violations r where r.rule_id = $1)
select counted.total, r.id, r.id, r.id, r.id, r.record_id, r.user_id, r.at, r.message
from (select count(*) as total from matches) counted
left join lateral (
    select u.id
    from (select m.id from matches m order by m.k0 desc limit 20) u
    limit 20
) page on true
left join rule_violations r on r.id = page.id
order by r.id desc;
