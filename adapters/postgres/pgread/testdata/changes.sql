-- /rest/changes
-- first page; count and sort matches; $1 = deal, $2 = 7
with matches as materialized (
    select r.id, r.id as k0
    from record_changes r
    where r.resource = $1
        and r.record_id = $2
)
select counted.total, r.id, r.id, r.id, r.id, r.at, r.action, r.user_id, r.request_id, r.cause, (
    select json_agg(json_build_array((c.name)::text, (c.old)::text, (c.new)::text) order by c.position)
    from rows
    from (jsonb_to_recordset(r.attributes) as (name text, old text, new text)) with ordinality c (name, old, new, position)
)
from (select count(*) as total from matches) counted
left join lateral (
    select u.id
    from (select m.id from matches m order by m.k0 desc limit 20) u
    limit 20
) page on true
left join record_changes r on r.id = page.id
order by r.id desc;
