-- /rest/client?fields=name&sort=email (after null a cursor)
-- page after a cursor; scan in order; $1 = 7
select counted.total, r.email_key, r.id, r.version, r.type, r.name
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
        select r.id, r.email_key as key
        from clients r
        where (r.email_key is null and r.id > $1::bigint)
        order by r.email_key, r.id
        limit 11
    ) u
    limit 11
) page on true
left join clients r on r.id = page.id
order by r.email_key, r.id;
