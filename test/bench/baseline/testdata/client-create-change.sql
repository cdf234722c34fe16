insert into client_changes (batch_id, writer_version, delta, id, created_at, text_key, user_id, type)
select b.id, 6, 1, :id::bigint, :now::timestamptz, :name_key::text, :user_id::bigint, :type::smallint
from (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b
