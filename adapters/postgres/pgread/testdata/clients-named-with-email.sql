-- /rest/client?fields=name&name=nord&email=office@nord.example
-- first page; count and sort matches; $1 = %nord%, $2 = office@nord.example
with matches as materialized (
    select m.*
    from (select s.id from client_search s where s.text_key like $1 offset 0) f
    cross join lateral (
        select r.id, r.created_at as k0, r.id as k1
        from clients r
        where r.email_key = $2
            and r.id = f.id
        offset 0
    ) m
)
select counted.total, r.created_at, r.id, r.version, r.type, r.name
from (select count(*) as total from matches) counted
left join lateral (
    select u.id
    from (select m.id from matches m order by m.k0 desc, m.k1 desc limit 10) u
    limit 10
) page on true
left join clients r on r.id = page.id
order by r.created_at desc, r.id desc;
