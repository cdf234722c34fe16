-- /rest/client?name=nord
-- first page; count and sort matches; $1 = %nord%
with matches as materialized (
    select s.id, s.created_at as k0, s.id as k1
    from client_search s
    where s.text_key like $1
)
select counted.total, r.created_at, r.id, r.version, r.type, r.id, r.user_id, r.name, r.email, r.phone,
    r.real_address, r.description, r.company_address, r.bank_details, r.person_details, r.created_at,
    r.updated_at, r.erased_on, r.ref
from (select count(*) as total from matches) counted
left join lateral (
    select u.id
    from (select m.id from matches m order by m.k0 desc, m.k1 desc limit 10) u
    limit 10
) page on true
left join clients r on r.id = page.id
order by r.created_at desc, r.id desc;
