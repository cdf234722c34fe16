-- /rest/offer?fields=number&number=777
-- first page; count and sort matches; $1 = %777%
with matches as materialized (
    select s.id, s.created_at as k0, s.id as k1
    from offer_search s
    where s.text_key like $1
)
select counted.total, r.created_on, r.id, r.version, r.number
from (select count(*) as total from matches) counted
left join lateral (
    select u.id
    from (select m.id from matches m order by m.k0 desc, m.k1 desc limit 20) u
    limit 20
) page on true
left join offers r on r.id = page.id
order by r.created_on desc, r.id desc;
