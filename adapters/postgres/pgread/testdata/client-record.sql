-- /rest/client
-- one record by its id; $1 = 7
select r.version, r.type, r.id, r.user_id, r.name, r.email, r.phone, r.real_address, r.description, r.company_address,
    r.bank_details, r.person_details, r.created_at, r.updated_at, r.erased_on, r.ref
from clients r
where r.id = $1;
