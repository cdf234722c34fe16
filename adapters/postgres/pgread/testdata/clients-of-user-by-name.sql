-- /rest/client?user_id=1&sort=name
-- first page; rows: scan in order; total: sum the rollup; parameters: $1 :user_id
select counted.total, r.name_key, r.id, r.version, r.type, r.id, r.user_id, r.name, r.email, r.phone,
    r.real_address, r.description, r.company_address, r.bank_details, r.person_details, r.created_at,
    r.updated_at
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
    ))::bigint as total, m.oldest_open_batch
    from read_model_state m
    where m.id = 1
        and m.lists_ready
    offset 0
) as counted
left join lateral (
    select r.*
    from clients r
    where r.user_id = :user_id
    order by r.name_key, r.id
    limit 10
) r on true
order by r.name_key, r.id;
