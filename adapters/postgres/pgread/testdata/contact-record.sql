-- /rest/contact?expand=client,deal
-- one record by its id; $1 = 7
select r.version, r.id, r.name, r.phone, r.mobile, r.email, r.rank, c.id, c.name, c.type, c.email, c.phone,
    d.id, d.name, d.client_id, d.user_id, d.type_id, d.status_id, d.created_at, d.updated_at, r.ref
from contacts r
left join clients c on c.id = r.client_id
left join deals d on d.id = r.deal_id
where r.id = $1;
