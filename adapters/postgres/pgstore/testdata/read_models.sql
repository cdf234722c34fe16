-- client added
insert into client_changes (batch_id, writer_version, delta, user_id, type)
select b.id, :version, v.delta, v.user_id, v.type
from (values (1, $1::bigint, $2::smallint)) v (delta, user_id, type)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- client removed
insert into client_changes (batch_id, writer_version, delta, user_id, type)
select b.id, :version, v.delta, v.user_id, v.type
from (values (-1, $1::bigint, $2::smallint)) v (delta, user_id, type)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- client changed
insert into client_changes (batch_id, writer_version, delta, user_id, type)
select b.id, :version, v.delta, v.user_id, v.type
from (values (-1, $1::bigint, $2::smallint), (1, $3::bigint, $4::smallint)) v (delta, user_id, type)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- search key of an added client
insert into client_search (id, created_at, text_key) values ($1, $2, $3);

-- search key of a changed client
update client_search set text_key = $2 where id = $1;

-- search key of a removed client
delete from client_search where id = $1;

-- deal added
insert into deal_changes (batch_id, writer_version, delta, client_id, user_id, type_id, status_id)
select b.id, :version, v.delta, v.client_id, v.user_id, v.type_id, v.status_id
from (values (1, $1::bigint, $2::bigint, $3::bigint, $4::bigint)) v (delta, client_id, user_id, type_id, status_id)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- deal removed
insert into deal_changes (batch_id, writer_version, delta, client_id, user_id, type_id, status_id)
select b.id, :version, v.delta, v.client_id, v.user_id, v.type_id, v.status_id
from (values (-1, $1::bigint, $2::bigint, $3::bigint, $4::bigint)) v (delta, client_id, user_id, type_id, status_id)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- deal changed
insert into deal_changes (batch_id, writer_version, delta, client_id, user_id, type_id, status_id)
select b.id, :version, v.delta, v.client_id, v.user_id, v.type_id, v.status_id
from (values (-1, $1::bigint, $2::bigint, $3::bigint, $4::bigint), (1, $5::bigint, $6::bigint, $7::bigint, $8::bigint)) v (delta, client_id, user_id, type_id, status_id)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- search key of an added deal
insert into deal_search (id, created_at, text_key) values ($1, $2, $3);

-- search key of a changed deal
update deal_search set text_key = $2 where id = $1;

-- search key of a removed deal
delete from deal_search where id = $1;

-- offer added
insert into offer_changes (batch_id, writer_version, delta, client_id)
select b.id, :version, v.delta, coalesce(d.client_id, v.client_id)
from (values (1, $1::bigint, $2::bigint)) v (delta, client_id, deal_id)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true
left join (
    select id, client_id
    from deals
    where id in ($2)
    order by id
    for key share
) d on d.id = v.deal_id;

-- offer removed
insert into offer_changes (batch_id, writer_version, delta, client_id)
select b.id, :version, v.delta, coalesce(d.client_id, v.client_id)
from (values (-1, $1::bigint, $2::bigint)) v (delta, client_id, deal_id)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true
left join (
    select id, client_id
    from deals
    where id in ($2)
    order by id
    for key share
) d on d.id = v.deal_id;

-- offer changed
insert into offer_changes (batch_id, writer_version, delta, client_id)
select b.id, :version, v.delta, coalesce(d.client_id, v.client_id)
from (values (-1, $1::bigint, $2::bigint), (1, $3::bigint, $4::bigint)) v (delta, client_id, deal_id)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true
left join (
    select id, client_id
    from deals
    where id in ($2, $4)
    order by id
    for key share
) d on d.id = v.deal_id;

-- search key of an added offer
insert into offer_search (id, created_at, text_key) values ($1, $2, $3);

-- search key of a changed offer
update offer_search set text_key = $2 where id = $1;

-- search key of a removed offer
delete from offer_search where id = $1;

-- contract added
insert into contract_changes (batch_id, writer_version, delta, client_id)
select b.id, :version, v.delta, coalesce(d.client_id, v.client_id)
from (values (1, $1::bigint, $2::bigint)) v (delta, client_id, deal_id)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true
left join (
    select id, client_id
    from deals
    where id in ($2)
    order by id
    for key share
) d on d.id = v.deal_id;

-- contract removed
insert into contract_changes (batch_id, writer_version, delta, client_id)
select b.id, :version, v.delta, coalesce(d.client_id, v.client_id)
from (values (-1, $1::bigint, $2::bigint)) v (delta, client_id, deal_id)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true
left join (
    select id, client_id
    from deals
    where id in ($2)
    order by id
    for key share
) d on d.id = v.deal_id;

-- contract changed
insert into contract_changes (batch_id, writer_version, delta, client_id)
select b.id, :version, v.delta, coalesce(d.client_id, v.client_id)
from (values (-1, $1::bigint, $2::bigint), (1, $3::bigint, $4::bigint)) v (delta, client_id, deal_id)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true
left join (
    select id, client_id
    from deals
    where id in ($2, $4)
    order by id
    for key share
) d on d.id = v.deal_id;

-- search key of an added contract
insert into contract_search (id, created_at, text_key) values ($1, $2, $3);

-- search key of a changed contract
update contract_search set text_key = $2 where id = $1;

-- search key of a removed contract
delete from contract_search where id = $1;

-- invoice added
insert into invoice_changes (batch_id, writer_version, delta, client_id, user_id, type_id, status, month, paid_month, line_count)
select b.id, :version, v.delta, v.client_id, v.user_id, v.type_id, v.status, v.month, v.paid_month, v.line_count
from (values (1, $1::bigint, $2::bigint, $3::bigint, $4::smallint, $5::integer, (extract(year from ($6::timestamptz at time zone current_setting('timezone'))) * 12 + extract(month from ($6::timestamptz at time zone current_setting('timezone'))) - 1)::integer, $7::integer)) v (delta, client_id, user_id, type_id, status, month, paid_month, line_count)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- invoice removed
insert into invoice_changes (batch_id, writer_version, delta, client_id, user_id, type_id, status, month, paid_month, line_count)
select b.id, :version, v.delta, v.client_id, v.user_id, v.type_id, v.status, v.month, v.paid_month, v.line_count
from (values (-1, $1::bigint, $2::bigint, $3::bigint, $4::smallint, $5::integer, (extract(year from ($6::timestamptz at time zone current_setting('timezone'))) * 12 + extract(month from ($6::timestamptz at time zone current_setting('timezone'))) - 1)::integer, $7::integer)) v (delta, client_id, user_id, type_id, status, month, paid_month, line_count)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- invoice changed
insert into invoice_changes (batch_id, writer_version, delta, client_id, user_id, type_id, status, month, paid_month, line_count)
select b.id, :version, v.delta, v.client_id, v.user_id, v.type_id, v.status, v.month, v.paid_month, v.line_count
from (values (-1, $1::bigint, $2::bigint, $3::bigint, $4::smallint, $5::integer, (extract(year from ($6::timestamptz at time zone current_setting('timezone'))) * 12 + extract(month from ($6::timestamptz at time zone current_setting('timezone'))) - 1)::integer, $7::integer), (1, $8::bigint, $9::bigint, $10::bigint, $11::smallint, $12::integer, (extract(year from ($13::timestamptz at time zone current_setting('timezone'))) * 12 + extract(month from ($13::timestamptz at time zone current_setting('timezone'))) - 1)::integer, $14::integer)) v (delta, client_id, user_id, type_id, status, month, paid_month, line_count)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- search key of an added invoice
insert into invoice_search (id, created_at, text_key) values ($1, $2, $3);

-- search key of a changed invoice
update invoice_search set text_key = $2 where id = $1;

-- search key of a removed invoice
delete from invoice_search where id = $1;

-- offers of a deal with another client
insert into offer_changes (batch_id, writer_version, delta, client_id)
select b.id, :version, v.delta, v.client_id
from offers r
cross join (values (-1, $2::bigint), (1, $3::bigint)) v (delta, client_id)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true
where r.deal_id = $1 and r.id <> all($4::bigint[]);

-- contracts of a deal with another client
insert into contract_changes (batch_id, writer_version, delta, client_id)
select b.id, :version, v.delta, v.client_id
from contracts r
cross join (values (-1, $2::bigint), (1, $3::bigint)) v (delta, client_id)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true
where r.deal_id = $1 and r.id <> all($4::bigint[]);

