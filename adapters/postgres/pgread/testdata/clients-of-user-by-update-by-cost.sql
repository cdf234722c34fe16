-- /rest/client?fields=name&user_id=1&sort=updated_at
-- first page; by cost; $1 = 1, $2 = 1, $3 = 1, $4 = 1
select counted.total, r.updated_at, r.id, r.version, r.type, r.name
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from client_totals t
        where t.user_id = $1
    ) + (
        select coalesce(sum(t.delta), 0)
        from client_changes t
        where t.user_id = $2
            and t.batch_id >= m.oldest_open_batch
    ))::bigint as total, (
        select coalesce(sum(t.record_count), 0)
        from client_totals t
        where t.user_id = 0
    ) as list_size
    from read_model_state m
    offset 0
) counted
left join lateral (
    select u.id
    from (
        (
            select r.id, r.updated_at as key
            from (
                select r.*
                from clients r
                where r.user_id = $3
                    and not (counted.total::numeric * counted.total > counted.list_size * 10)
                offset 0
            ) r
            order by r.updated_at, r.id
            limit 10
        )
        union all
        (
            select r.id, r.updated_at as key
            from clients r
            where r.user_id = $4
                and counted.total::numeric * counted.total > counted.list_size * 10
            order by r.updated_at, r.id
            limit 10
        )
    ) u
    limit 10
) page on true
left join clients r on r.id = page.id
order by r.updated_at, r.id;
