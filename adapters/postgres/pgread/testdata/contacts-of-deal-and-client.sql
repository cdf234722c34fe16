-- /rest/contact?fields=name&deal_id=7&client_id=1&per_page=20
-- first page; count and sort matches; $1 = [1], $2 = 7
with matches as materialized (
    select r.id, r.id as k0
    from contacts r
    where r.client_id = any($1)
        and exists (select from deals d where d.id = $2 and d.client_id = r.client_id)
)
select counted.total, r.id, r.id, r.version, r.name
from (select count(*) as total from matches) counted
left join lateral (
    select u.id
    from (select m.id from matches m order by m.k0 limit 20) u
    limit 20
) page on true
left join contacts r on r.id = page.id
order by r.id;
