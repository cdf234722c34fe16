-- /rest/invoice?fields=number&company=nord&status=2
-- first page; count and sort matches; $1 = %nord%, $2 = 2
with matches as materialized (
    select m.*
    from (select s.id from client_search s where s.text_key like $1 offset 0) f
    cross join lateral (
        select r.id, r.created_on as k0, r.id as k1
        from invoices r
        where r.status = $2
            and r.client_id = f.id
        offset 0
    ) m
)
select counted.total, r.created_on, r.id, r.version, r.number
from (select count(*) as total from matches) counted
left join lateral (
    select u.id
    from (select m.id from matches m order by m.k0 desc, m.k1 desc limit 20) u
    limit 20
) page on true
left join invoices r on r.id = page.id
order by r.created_on desc, r.id desc;
