-- /rest/invoice-items?fields=name&invoice_id=7&name=oak
-- first page; rows: scan in order; total: count rows; parameters: $1 :invoice_id, $2 :name
select counted.total, r.id, r.id, r.version, r.name
from (
    select count(*) as total
    from invoice_lines r
    where r.invoice_id = :invoice_id
        and r.name_key like :name
) as counted
left join lateral (
    select r.*
    from invoice_lines r
    where r.invoice_id = :invoice_id
        and r.name_key like :name
    order by r.id
    limit 20
) r on true
order by r.id;
