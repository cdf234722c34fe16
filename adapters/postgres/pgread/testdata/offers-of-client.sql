-- /rest/offer?fields=number&client_id=1
-- first page; scan in order; $1 = 1, $2 = 1, $3 = 1
select counted.total, r.created_on, r.id, r.version, r.number
from (
    select ((
        select coalesce(sum(t.offers), 0)
        from client_counts t
        where t.client_id = $1
    ) + (
        select coalesce(sum(t.delta), 0)
        from offer_changes t
        where t.client_id = $2
            and t.batch_id >= m.oldest_open_batch
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (
    select r.*
    from offers r
    where r.deal_id in (select d.id from deals d where d.client_id = $3)
    order by r.created_on desc, r.id desc
    limit 20
) r on true
order by r.created_on desc, r.id desc;
