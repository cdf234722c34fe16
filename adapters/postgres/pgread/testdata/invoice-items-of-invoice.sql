-- /rest/invoice-items?fields=name&invoice_id=7&name=oak
-- first page; count and sort matches; $1 = 7, $2 = %oak%
with matches as materialized (
    select r.id, r.id as k0
    from invoice_lines r
    where r.invoice_id = $1
        and normalize(regexp_replace(normalize(r.name_key, nfd), '([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc) like $2
)
select counted.total, r.id, r.id, r.version, r.name
from (select count(*) as total from matches) counted
left join lateral (
    select u.id
    from (select m.id from matches m order by m.k0 limit 20) u
    limit 20
) page on true
left join invoice_lines r on r.id = page.id
order by r.id;
