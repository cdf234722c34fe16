-- /rest/deal?fields=name&client_id=1&sort=name
-- first page; by cost; $1 = 1, $2 = 1, $3 = 1, $4 = 1
select counted.total, r.name_key, r.id, r.version, r.name
from (
    select ((
        select coalesce(sum(t.deals), 0)
        from client_counts t
        where t.client_id = $1
    ) + (
        select coalesce(sum(t.delta), 0)
        from deal_changes t
        where t.client_id = $2
            and t.batch_id >= m.oldest_open_batch
    ))::bigint as total, (
        select coalesce(sum(t.record_count), 0)
        from deal_totals t
        where t.user_id = 0
    ) as list_size
    from read_model_state m
    offset 0
) counted
left join lateral (
    select u.id
    from (
        (
            select r.id, r.name_key as key
            from (
                select r.*
                from deals r
                where r.client_id = $3
                    and not (counted.total::numeric * counted.total > counted.list_size * 20)
                offset 0
            ) r
            order by r.name_key, r.id
            limit 20
        )
        union all
        (
            select r.id, r.name_key as key
            from deals r
            where r.client_id = $4
                and counted.total::numeric * counted.total > counted.list_size * 20
            order by r.name_key, r.id
            limit 20
        )
    ) u
    limit 20
) page on true
left join deals r on r.id = page.id
order by r.name_key, r.id;
