-- /rest/deal?fields=name&client_id=1&sort=name
-- first page; rows: by cost; total: client count; parameters: $1 :client_id
select counted.total, r.name_key, r.id, r.version, r.name
from (
    select ((
        select coalesce(sum(k.deals), 0)
        from client_counts k
        where k.client_id = :client_id
    ) + (
        select coalesce(sum(t.delta), 0)
        from deal_changes t
        where t.batch_id >= m.oldest_open_batch
            and t.client_id = :client_id
    ))::bigint as total, m.oldest_open_batch, (
        select coalesce(sum(l.record_count), 0)
        from page_index l
        where l.list = 'deals'
    ) as list_size
    from read_model_state m
    where m.id = 1
        and m.lists_ready
    offset 0
) as counted
left join lateral (
    select u.id
    from (
        (
            select r.id, r.name_key as key
            from (
                select r.*
                from deals r
                where r.client_id = :client_id
                    and not (counted.total::numeric * counted.total > counted.list_size * 20)
                offset 0
            ) as r
            order by r.name_key, r.id
            limit 20
        )
        union all
        (
            select r.id, r.name_key as key
            from deals r
            where r.client_id = :client_id
                and counted.total::numeric * counted.total > counted.list_size * 20
            order by r.name_key, r.id
            limit 20
        )
    ) u
    limit 20
) page on true
left join deals r on r.id = page.id
order by r.name_key, r.id;
