-- /rest/client
-- first page; scan in order
select counted.total, r.created_at, r.id, r.version, r.type, r.id, r.user_id, r.name, r.email, r.phone,
    r.real_address, r.description, r.company_address, r.bank_details, r.person_details, r.created_at,
    r.updated_at, r.erased_on, r.ref
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
left join lateral (select r.* from clients r order by r.created_at desc, r.id desc limit 10) r on true
order by r.created_at desc, r.id desc;
