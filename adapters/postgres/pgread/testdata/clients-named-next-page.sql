-- /rest/client?fields=name&name=nord (after a cursor)
-- page after a cursor; count and sort matches; $1 = %nord%, $2 = 2024-03-09 16:05:00, $3 = 7
with matches as materialized (
    select s.id, s.created_at as k0, s.id as k1
    from client_search s
    where s.text_key like $1
)
select counted.total, r.created_at, r.id, r.version, r.type, r.name
from (select count(*) as total from matches) counted
left join lateral (
    select u.id
    from (
        select m.id
        from matches m
        where (m.k0, m.id) < ($2, $3::bigint)
        order by m.k0 desc, m.k1 desc
        limit 11
    ) u
    limit 11
) page on true
left join clients r on r.id = page.id
order by r.created_at desc, r.id desc;
