-- /rest/token?username=mara
-- the whole list; rows: scan in order; total: count rows; parameters: $1 :username
select counted.total, r.id, r.id, r.public_id, (select u.username from users u where u.id = r.user_id),
    r.created_at, r.expires_at, r.revoked_at, r.last_used_at
from (
    select count(*) as total
    from tokens r
    where r.user_id in (select id from users where username_key = :username)
) as counted
left join lateral (
    select r.*
    from tokens r
    where r.user_id in (select id from users where username_key = :username)
) r on true
order by r.created_at desc, r.id desc;
