-- /rest/client?fields=name&sort=type,-name
-- first page; scan in order
select counted.total, null, r.id, r.version, r.type, r.name
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from client_totals t
        where t.user_id = 0
    ) + (
        select coalesce(sum(t.delta), 0)
        from client_changes t
        where t.batch_id >= m.oldest_open_batch
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (
    select u.id
    from (
        select r.id, r.type as key
        from clients r
        order by r.type, r.name_key desc, r.id desc
        limit 10
    ) u
    limit 10
) page on true
left join clients r on r.id = page.id
order by r.type, r.name_key desc, r.id desc;
