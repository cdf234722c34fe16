-- /rest/deal?expand=client,user,type,status
-- first page; scan in order
select counted.total, r.created_at, r.id, r.version, r.id, r.name, r.client_id, r.user_id, u.id, u.username,
    u.fname, u.lname, u.email, r.type_id, r.status_id, r.created_at, r.updated_at, c.id, c.name, c.type,
    c.email, c.phone, t.id, t.name, s.id, s.name, s.is_default, s.color, r.ref
from (
    select ((
        select coalesce(sum(t.record_count), 0)
        from deal_totals t
        where t.user_id = 0
    ) + (
        select coalesce(sum(t.delta), 0)
        from deal_changes t
        where t.batch_id >= m.oldest_open_batch
    ))::bigint as total
    from read_model_state m
    offset 0
) counted
left join lateral (select r.* from deals r order by r.created_at desc, r.id desc limit 20) r on true
left join users u on u.id = r.user_id
left join clients c on c.id = r.client_id
left join deal_types t on t.id = r.type_id
left join statuses s on s.id = r.status_id
order by r.created_at desc, r.id desc;
