-- /rest/offer?fields=number&client_id=1
-- first page; rows: scan in order; total: client count; parameters: $1 :client_id
select counted.total, r.created_on, r.id, r.version, r.number
from (
    select ((
        select coalesce(sum(k.offers), 0)
        from client_counts k
        where k.client_id = :client_id
    ) + (
        select coalesce(sum(t.delta), 0)
        from offer_changes t
        where t.batch_id >= m.oldest_open_batch
            and t.client_id = :client_id
    ))::bigint as total, m.oldest_open_batch
    from read_model_state m
    where m.id = 1
        and m.lists_ready
    offset 0
) as counted
left join lateral (
    select r.*
    from offers r
    where r.deal_id in (select d.id from deals d where d.client_id = :client_id)
    order by r.created_on desc, r.id desc
    limit 20
) r on true
order by r.created_on desc, r.id desc;
