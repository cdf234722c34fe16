-- /rest/rule-trial?rule_id=7
-- first page; count and sort matches; $1 = 7
with matches as materialized (select r.id, r.id as k0 from rule_trials r where r.rule_id = $1)
select counted.total, r.id, r.id, r.id, r.id, r.rule_id, r.name, r.resource, concat_ws(',', case when r.operations & 1 > 0 then 'create' end, case when r.operations & 2 > 0 then 'update' end, case when r.operations & 4 > 0 then 'delete' end),
    nullif(r.expression, ''), nullif(r.message, ''), r.field, r.user_id, case when r.state = 'running'
    and r.seen_at < now() - interval '30 seconds' then 'failed' else r.state end, case when r.state = 'running'
    and r.seen_at < now() - interval '30 seconds' then 'the service that ran the trial has stopped' else r.error end,
    case when r.state = 'done' then 100 else least(trunc(r.done * 100), 99)::bigint end, r.passed, r.refused,
    r.failed, r.started_at, r.ended_at
from (select count(*) as total from matches) counted
left join lateral (
    select u.id
    from (select m.id from matches m order by m.k0 desc limit 20) u
    limit 20
) page on true
left join rule_trials r on r.id = page.id
order by r.id desc;
