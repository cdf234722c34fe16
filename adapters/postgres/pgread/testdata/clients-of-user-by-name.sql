-- /rest/client?user_id=1&sort=name
-- first page; scan in order; $1 = 1, $2 = 1, $3 = 1
select counted.total, r.name_key, r.id, r.version, r.type, r.id, r.user_id, r.name, r.email, r.phone,
    r.real_address, r.description, r.company_address, r.bank_details, r.person_details, r.created_at,
    r.updated_at, r.erased_on, r.ref
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
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (
    select r.*
    from clients r
    where r.user_id = $3
    order by r.name_key, r.id
    limit 10
) r on true
order by r.name_key, r.id;
