-- /rest/performer?fields=name,phone&sort=phone
-- first page; count and sort matches
with matches as materialized (
    select r.id, (r.text_keys ->> 'phone') collate "c" as k0, r.id as k1
    from performers r
)
select counted.total, (r.text_keys ->> 'phone') collate "c", r.id, r.version, r.name, r.phone
from (select count(*) as total from matches) counted
left join lateral (
    select u.id
    from (select m.id from matches m order by m.k0, m.k1 limit 20) u
    limit 20
) page on true
left join performers r on r.id = page.id
order by (r.text_keys ->> 'phone') collate "c", r.id;
