select
    counted.total,
    r.version, r.type, r.id, r.user_id, r.name, r.email, r.phone, r.real_address, r.description,
    r.company_address, r.bank_details, r.person_details, r.created_at, r.updated_at
from (
    select (@total::bigint + c.delta)::bigint as total
    from read_model_state m
    cross join lateral (
        select coalesce(sum(c.delta), 0) as delta
        from client_changes c
        where c.batch_id >= @batch and c.text_key like @pattern
    ) c
    where m.id = 1 and m.lists_ready and m.search_ready and m.oldest_retained_batch <= @batch
    offset 0
) counted
left join lateral (
    select r.*
    from clients r
    where r.name_key like @pattern
    order by r.created_at desc, r.id desc
    limit 10
) r on true
order by r.created_at desc, r.id desc
