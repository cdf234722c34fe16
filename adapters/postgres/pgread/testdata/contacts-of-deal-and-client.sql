-- /rest/contact?fields=name&deal_id=7&client_id=1&per_page=20
-- first page; rows: scan in order; total: count rows; parameters: $1 :shared_client_id, $2 :shared_deal_id
select counted.total, r.id, r.id, r.version, r.name
from (
    select count(*) as total
    from contacts r
    where r.client_id = :shared_client_id
        and exists (
        select
        from deals d
        where d.id = :shared_deal_id
            and d.client_id = :shared_client_id
    )
) as counted
left join lateral (
    select r.*
    from contacts r
    where r.client_id = :shared_client_id
        and exists (
        select
        from deals d
        where d.id = :shared_deal_id
            and d.client_id = :shared_client_id
    )
    order by r.id
    limit 20
) r on true
order by r.id;
