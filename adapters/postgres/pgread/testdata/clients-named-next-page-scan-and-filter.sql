-- /rest/client?fields=name&name=nord (after a cursor) (50000 matches of 1000000)
-- page after a cursor; rows: scan and filter; total: cached match count and changes; parameters: $1 :match_count, $2 :match_batch, $3 :name, $4 :match_token, $5 :cursor_key, $6 :cursor_id, $7 :scan_limit
select counted.total, counted.match_count, counted.oldest_open_batch, counted.position_token, counted.newest_change,
    r.created_at, r.id, r.version, r.type, r.name
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
        from (
            select r.*
            from clients r
            where (r.created_at, r.id) < (:cursor_key, :cursor_id::bigint)
            order by r.created_at desc, r.id desc
            limit :scan_limit::bigint
        ) as r
        where r.name_key like :name
        order by r.created_at desc, r.id desc
        limit 11
    ) u
    limit 11
) page on true
left join clients r on r.id = page.id
order by r.created_at desc, r.id desc;
