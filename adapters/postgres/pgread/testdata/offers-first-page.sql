-- /rest/offer
-- first page; scan in order
select counted.total, r.created_on, r.id, r.version, r.id, r.deal_id, r.number, r.date, r.notice, r.created_on
from (
    select ((
        select coalesce(sum(t.offers), 0)
        from client_counts t
        where t.client_id = 0
    ) + (
        select coalesce(sum(t.delta), 0)
        from offer_changes t
        where t.batch_id >= m.oldest_open_batch
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (select r.* from offers r order by r.created_on desc, r.id desc limit 20) r on true
order by r.created_on desc, r.id desc;
