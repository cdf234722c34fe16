-- /rest/rule?resource=deal&mode=shadow&source=typed&name=no
-- first page; rows: scan in order; total: count rows; parameters: $1 :name, $2 :resource, $3 :mode, $4 :source
select counted.total, r.name, r.id, r.version, r.id, r.name, r.resource, concat_ws(',', case when r.operations & 1 > 0 then 'create' end, case when r.operations & 2 > 0 then 'update' end, case when r.operations & 4 > 0 then 'delete' end),
    r.expression, r.message, r.field, r.mode, r.source, coalesce((select c.evaluated from rule_counts c where c.rule_id = r.id), 0),
    coalesce((select c.refused from rule_counts c where c.rule_id = r.id), 0), coalesce((select c.would_refuse from rule_counts c where c.rule_id = r.id), 0) + (select count(*) from rule_violations v where v.rule_id = r.id),
    r.created_at, r.updated_at
from (
    select count(*) as total
    from rules r
    where r.name like :name
        and r.resource = :resource
        and r.mode = :mode
        and r.source = :source
) as counted
left join lateral (
    select r.*
    from rules r
    where r.name like :name
        and r.resource = :resource
        and r.mode = :mode
        and r.source = :source
    order by r.name, r.id
    limit 20
) r on true
order by r.name, r.id;
