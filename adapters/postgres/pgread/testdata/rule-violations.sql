-- /rest/rule-violations
-- first page; rows: scan in order; total: count rows; parameters: $1 :rule_id
select counted.total, r.id, r.id, r.id, r.id, r.record_id, r.user_id, r.at, r.message
from (
    select count(*) as total
    from rule_violations r
    where r.rule_id = :rule_id
) as counted
left join lateral (
    select r.*
    from rule_violations r
    where r.rule_id = :rule_id
    order by r.id desc
    limit 20
) r on true
order by r.id desc;
