-- /rest/deal?fields=name&user_id=1,40
-- first page; merge runs; $1 = [1 40], $2 = [1 40], $3 = [1 40], $4 = [1 40]
select counted.total, r.created_at, r.id, r.version, r.name
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from deal_totals t
        where t.user_id = any($1)
    ) + (
        select coalesce(sum(t.delta), 0)
        from deal_changes t
        where t.user_id = any($2)
            and t.batch_id >= m.oldest_open_batch
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (
    select u.id
    from (
        select r.id, r.key
        from (select unnest($3::bigint[]) as value) run
        cross join lateral (
            select r.id, r.created_at as key
            from deals r
            where r.user_id = run.value
                and r.user_id = any($4)
            order by r.created_at desc, r.id desc
            limit 20
        ) r
        order by r.key desc, r.id desc
        limit 20
    ) u
    limit 20
) page on true
left join deals r on r.id = page.id
order by r.created_at desc, r.id desc;
