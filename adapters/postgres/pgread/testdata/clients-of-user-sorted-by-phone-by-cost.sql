-- /rest/client?fields=name&user_id=1&sort=phone
-- first page; rows: by cost; total: sum the rollup; parameters: $1 :user_id
select counted.total, r.phone_key, r.id, r.version, r.type, r.name
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from client_totals t
        where t.user_id = :user_id
    ) + (
        select coalesce(sum(t.delta), 0)
        from client_changes t
        where t.batch_id >= m.oldest_open_batch
            and t.user_id = :user_id
    ))::bigint as total, m.oldest_open_batch, (
        select coalesce(sum(l.record_count), 0)
        from page_index l
        where l.list = 'clients'
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
            select r.id, r.phone_key as key
            from (
                select r.*
                from clients r
                where r.user_id = :user_id
                    and not (counted.total::numeric * counted.total > counted.list_size * 10)
                offset 0
            ) as r
            order by r.phone_key, r.id
            limit 10
        )
        union all
        (
            select r.id, r.phone_key as key
            from clients r
            where r.user_id = :user_id
                and counted.total::numeric * counted.total > counted.list_size * 10
            order by r.phone_key, r.id
            limit 10
        )
    ) u
    limit 10
) page on true
left join clients r on r.id = page.id
order by r.phone_key, r.id;
