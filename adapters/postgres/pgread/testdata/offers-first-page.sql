-- /rest/offer
-- first page; rows: scan in order; total: sum the rollup
select counted.total, r.created_on, r.id, r.version, r.id, r.deal_id, r.number, r.date, r.notice, r.created_on
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from page_index t
        where t.list = 'offers'
    ) + (
        select coalesce(sum(t.delta), 0)
        from offer_changes t
        where t.batch_id >= m.oldest_open_batch
    ))::bigint as total, m.oldest_open_batch
    from read_model_state m
    where m.id = 1
        and m.lists_ready
    offset 0
) as counted
left join lateral (select r.* from offers r order by r.created_on desc, r.id desc limit 20) r on true
order by r.created_on desc, r.id desc;
