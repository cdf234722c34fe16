-- /rest/client?fields=name&name=nord (800 matches of 1000000)
-- first page; rows: sort matches; total: cached match count and changes; parameters: $1 :match_count, $2 :match_batch, $3 :name, $4 :match_token
select counted.total, counted.match_count, counted.oldest_open_batch, counted.position_token, counted.newest_change,
    greatest(r.created_at, counted.newest_change), r.created_at, r.id, r.version, r.type, r.name
from (
    select (:match_count::bigint + c.all_changes)::bigint as total, (:match_count::bigint + c.folded)::bigint as match_count,
        m.oldest_open_batch, c.newest_change, (
        select p.token
        from read_model_positions p
        where p.batch_id = m.oldest_open_batch
    ) as position_token
    from read_model_state m
    cross join lateral (
        select coalesce(sum(t.delta), 0) as all_changes, coalesce(sum(t.delta) filter (where t.batch_id < m.oldest_open_batch), 0) as folded,
            max(t.created_at) as newest_change
        from client_changes t
        where t.batch_id >= :match_batch
            and t.text_key like :name
    ) c
    where m.id = 1
        and m.lists_ready
        and m.search_ready
        and m.oldest_retained_batch <= :match_batch
        and (exists (
        select
        from read_model_positions p
        where p.batch_id = :match_batch
            and p.token = :match_token::uuid
    ) or :match_token::uuid is null
        and m.oldest_open_batch = :match_batch)
    offset 0
) as counted
left join lateral (
    select u.id
    from (
        select r.id, r.created_at as key
        from (select s.id from client_search s where s.text_key like :name offset 0) as f
        cross join lateral (select r.* from clients r where r.id = f.id offset 0) r
        order by r.created_at desc, r.id desc
        limit 10
    ) u
    limit 10
) page on true
left join clients r on r.id = page.id
order by r.created_at desc, r.id desc;
