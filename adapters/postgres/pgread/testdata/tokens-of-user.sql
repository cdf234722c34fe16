-- /rest/token?username=mara
-- first page; count and sort matches; $1 = mara
with matches as materialized (
    select r.id, r.created_at as k0, r.id as k1
    from tokens r
    where r.user_id in (select id from users where username_key = $1)
)
select counted.total, r.created_at, r.id, r.id, r.id, r.public_id, (select u.username from users u where u.id = r.user_id),
    r.created_at, r.expires_at, r.revoked_at, r.last_used_at, r.label, r.scopes
from (select count(*) as total from matches) counted
left join lateral (
    select u.id
    from (select m.id from matches m order by m.k0 desc, m.k1 desc limit 20) u
    limit 20
) page on true
left join tokens r on r.id = page.id
order by r.created_at desc, r.id desc;
