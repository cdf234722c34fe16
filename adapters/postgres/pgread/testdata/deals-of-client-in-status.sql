-- /rest/deal?fields=name&client_id=1&status_id=2
-- first page; count and sort matches; $1 = 1, $2 = 2
with matches as materialized (
    select r.id, r.created_at as k0, r.id as k1
    from deals r
    where r.client_id = $1
        and r.status_id = $2
)
select counted.total, r.created_at, r.id, r.version, r.name
from (select count(*) as total from matches) counted
left join lateral (
    select u.id
    from (select m.id from matches m order by m.k0 desc, m.k1 desc limit 20) u
    limit 20
) page on true
left join deals r on r.id = page.id
order by r.created_at desc, r.id desc;
