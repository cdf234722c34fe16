-- /rest/rule?resource=deal&mode=shadow&source=typed&name=no
-- first page; count and sort matches; $1 = %no%, $2 = deal, $3 = shadow, $4 = typed
with matches as materialized (
    select r.id, r.name as k0, r.id as k1
    from rules r
    where r.name like $1
        and r.resource = $2
        and r.mode = $3
        and r.source = $4
)
select counted.total, r.name, r.id, r.version, r.id, r.name, r.resource, concat_ws(',', case when r.operations & 1 > 0 then 'create' end, case when r.operations & 2 > 0 then 'update' end, case when r.operations & 4 > 0 then 'delete' end),
    (
    select json_agg(json_build_array((v.name)::text, (v.expression)::text) order by v.position)
    from rows
    from (jsonb_to_recordset(coalesce(r.variables, '[]')) as (name text, expression text)) with ordinality v (name, expression, position)
), r.expression, r.message, r.field, r.forbidden, r.mode, r.source, coalesce((select c.would_refuse from rule_counts c where c.rule_id = r.id), 0) + (select count(*) from rule_violations v where v.rule_id = r.id),
    r.created_at, r.updated_at
from (select count(*) as total from matches) counted
left join lateral (
    select u.id
    from (select m.id from matches m order by m.k0, m.k1 limit 20) u
    limit 20
) page on true
left join rules r on r.id = page.id
order by r.name, r.id;
