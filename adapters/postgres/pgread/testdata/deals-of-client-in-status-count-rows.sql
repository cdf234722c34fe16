-- /rest/deal?fields=name&client_id=1&status_id=2
-- first page; rows: scan in order; total: count rows; parameters: $1 :client_id, $2 :status_id
select counted.total, r.created_at, r.id, r.version, r.name
from (
    select count(*) as total
    from deals r
    where r.client_id = :client_id
        and r.status_id = :status_id
) as counted
left join lateral (
    select r.*
    from deals r
    where r.client_id = :client_id
        and r.status_id = :status_id
    order by r.created_at desc, r.id desc
    limit 20
) r on true
order by r.created_at desc, r.id desc;
