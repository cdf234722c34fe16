-- /rest/client?fields=name&name=nord
-- first page; rows: scan in order; total: count rows; parameters: $1 :name
select counted.total, r.created_at, r.id, r.version, r.type, r.name
from (select count(*) as total from clients r where r.name_key like :name) as counted
left join lateral (
    select r.*
    from clients r
    where r.name_key like :name
    order by r.created_at desc, r.id desc
    limit 10
) r on true
order by r.created_at desc, r.id desc;
