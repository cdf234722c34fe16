-- /rest/performer?fields=name,phone&sort=phone
-- first page; rows: scan in order; total: count rows
select counted.total, (r.text_keys ->> 'phone') collate "c", r.id, r.version, r.name, r.phone
from (select count(*) as total from performers r) as counted
left join lateral (
    select r.*
    from performers r
    order by (r.text_keys ->> 'phone') collate "c", r.id
    limit 20
) r on true
order by (r.text_keys ->> 'phone') collate "c", r.id;
