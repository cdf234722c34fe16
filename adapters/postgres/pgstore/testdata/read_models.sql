-- client added, with its search key
with searched as (
    insert into client_search (id, text_key)
    values ($1, $3)
)
insert into client_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, user_id, type)
overriding user value
select b.id, :placeholder, :version, v.delta, v.id, v.created_at, v.text_key, v.user_id, v.type
from (values (1, $1::bigint, $2::timestamp with time zone, $3::text, $4::bigint, $5::smallint)) v (delta, id, created_at, text_key, user_id, type)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- client removed
insert into client_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, user_id, type)
overriding user value
select b.id, :placeholder, :version, v.delta, v.id, v.created_at, v.text_key, v.user_id, v.type
from (values (-1, $1::bigint, $2::timestamp with time zone, $3::text, $4::bigint, $5::smallint)) v (delta, id, created_at, text_key, user_id, type)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- client changed
insert into client_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, user_id, type)
overriding user value
select b.id, :placeholder, :version, v.delta, v.id, v.created_at, v.text_key, v.user_id, v.type
from (values (-1, $1::bigint, $2::timestamp with time zone, $3::text, $4::bigint, $5::smallint), (1, $6::bigint, $7::timestamp with time zone, $8::text, $9::bigint, $10::smallint)) v (delta, id, created_at, text_key, user_id, type)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- search key of a changed client
update client_search set text_key = $2 where id = $1;

-- search key of a removed client
delete from client_search where id = $1;

-- deal added, with its search key
with searched as (
    insert into deal_search (id, text_key)
    values ($1, $3)
)
insert into deal_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, client_id, user_id, type_id, status_id)
overriding user value
select b.id, :placeholder, :version, v.delta, v.id, v.created_at, v.text_key, v.client_id, v.user_id, v.type_id, v.status_id
from (values (1, $1::bigint, $2::timestamp with time zone, $3::text, $4::bigint, $5::bigint, $6::bigint, $7::bigint)) v (delta, id, created_at, text_key, client_id, user_id, type_id, status_id)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- deal removed
insert into deal_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, client_id, user_id, type_id, status_id)
overriding user value
select b.id, :placeholder, :version, v.delta, v.id, v.created_at, v.text_key, v.client_id, v.user_id, v.type_id, v.status_id
from (values (-1, $1::bigint, $2::timestamp with time zone, $3::text, $4::bigint, $5::bigint, $6::bigint, $7::bigint)) v (delta, id, created_at, text_key, client_id, user_id, type_id, status_id)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- deal changed
insert into deal_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, client_id, user_id, type_id, status_id)
overriding user value
select b.id, :placeholder, :version, v.delta, v.id, v.created_at, v.text_key, v.client_id, v.user_id, v.type_id, v.status_id
from (values (-1, $1::bigint, $2::timestamp with time zone, $3::text, $4::bigint, $5::bigint, $6::bigint, $7::bigint), (1, $8::bigint, $9::timestamp with time zone, $10::text, $11::bigint, $12::bigint, $13::bigint, $14::bigint)) v (delta, id, created_at, text_key, client_id, user_id, type_id, status_id)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- search key of a changed deal
update deal_search set text_key = $2 where id = $1;

-- search key of a removed deal
delete from deal_search where id = $1;

-- offer added, with its search key
with searched as (
    insert into offer_search (id, text_key)
    values ($1, $3)
)
insert into offer_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, client_id)
overriding user value
select b.id, :placeholder, :version, v.delta, v.id, v.created_at, v.text_key, coalesce(d.client_id, v.client_id)
from (values (1, $1::bigint, $2::timestamp with time zone, $3::text, $4::bigint, $5::bigint)) v (delta, id, created_at, text_key, client_id, deal_id)
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
    where id in ($5)
    order by id
    for key share
) d on d.id = v.deal_id;

-- offer removed
insert into offer_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, client_id)
overriding user value
select b.id, :placeholder, :version, v.delta, v.id, v.created_at, v.text_key, coalesce(d.client_id, v.client_id)
from (values (-1, $1::bigint, $2::timestamp with time zone, $3::text, $4::bigint, $5::bigint)) v (delta, id, created_at, text_key, client_id, deal_id)
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
    where id in ($5)
    order by id
    for key share
) d on d.id = v.deal_id;

-- offer changed
insert into offer_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, client_id)
overriding user value
select b.id, :placeholder, :version, v.delta, v.id, v.created_at, v.text_key, coalesce(d.client_id, v.client_id)
from (values (-1, $1::bigint, $2::timestamp with time zone, $3::text, $4::bigint, $5::bigint), (1, $6::bigint, $7::timestamp with time zone, $8::text, $9::bigint, $10::bigint)) v (delta, id, created_at, text_key, client_id, deal_id)
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
    where id in ($5, $10)
    order by id
    for key share
) d on d.id = v.deal_id;

-- search key of a changed offer
update offer_search set text_key = $2 where id = $1;

-- search key of a removed offer
delete from offer_search where id = $1;

-- contract added, with its search key
with searched as (
    insert into contract_search (id, text_key)
    values ($1, $3)
)
insert into contract_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, client_id)
overriding user value
select b.id, :placeholder, :version, v.delta, v.id, v.created_at, v.text_key, coalesce(d.client_id, v.client_id)
from (values (1, $1::bigint, $2::timestamp with time zone, $3::text, $4::bigint, $5::bigint)) v (delta, id, created_at, text_key, client_id, deal_id)
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
    where id in ($5)
    order by id
    for key share
) d on d.id = v.deal_id;

-- contract removed
insert into contract_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, client_id)
overriding user value
select b.id, :placeholder, :version, v.delta, v.id, v.created_at, v.text_key, coalesce(d.client_id, v.client_id)
from (values (-1, $1::bigint, $2::timestamp with time zone, $3::text, $4::bigint, $5::bigint)) v (delta, id, created_at, text_key, client_id, deal_id)
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
    where id in ($5)
    order by id
    for key share
) d on d.id = v.deal_id;

-- contract changed
insert into contract_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, client_id)
overriding user value
select b.id, :placeholder, :version, v.delta, v.id, v.created_at, v.text_key, coalesce(d.client_id, v.client_id)
from (values (-1, $1::bigint, $2::timestamp with time zone, $3::text, $4::bigint, $5::bigint), (1, $6::bigint, $7::timestamp with time zone, $8::text, $9::bigint, $10::bigint)) v (delta, id, created_at, text_key, client_id, deal_id)
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
    where id in ($5, $10)
    order by id
    for key share
) d on d.id = v.deal_id;

-- search key of a changed contract
update contract_search set text_key = $2 where id = $1;

-- search key of a removed contract
delete from contract_search where id = $1;

-- invoice added, with its search key
with searched as (
    insert into invoice_search (id, text_key)
    values ($1, $3)
)
insert into invoice_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, client_id, user_id, type_id, status, month, paid_month, line_ids)
overriding user value
select b.id, :placeholder, :version, v.delta, v.id, v.created_at, v.text_key, v.client_id, v.user_id, v.type_id, v.status, v.month, v.paid_month, v.line_ids
from (values (1, $1::bigint, $2::timestamp with time zone, $3::text, $4::bigint, $5::bigint, $6::bigint, $7::smallint, $8::integer, (extract(year from ($9::timestamptz at time zone current_setting('timezone'))) * 12 + extract(month from ($9::timestamptz at time zone current_setting('timezone'))) - 1)::integer, $10::text::bigint[])) v (delta, id, created_at, text_key, client_id, user_id, type_id, status, month, paid_month, line_ids)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- invoice removed
insert into invoice_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, client_id, user_id, type_id, status, month, paid_month, line_ids)
overriding user value
select b.id, :placeholder, :version, v.delta, v.id, v.created_at, v.text_key, v.client_id, v.user_id, v.type_id, v.status, v.month, v.paid_month, v.line_ids
from (values (-1, $1::bigint, $2::timestamp with time zone, $3::text, $4::bigint, $5::bigint, $6::bigint, $7::smallint, $8::integer, (extract(year from ($9::timestamptz at time zone current_setting('timezone'))) * 12 + extract(month from ($9::timestamptz at time zone current_setting('timezone'))) - 1)::integer, $10::text::bigint[])) v (delta, id, created_at, text_key, client_id, user_id, type_id, status, month, paid_month, line_ids)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- invoice changed
insert into invoice_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, client_id, user_id, type_id, status, month, paid_month, line_ids)
overriding user value
select b.id, :placeholder, :version, v.delta, v.id, v.created_at, v.text_key, v.client_id, v.user_id, v.type_id, v.status, v.month, v.paid_month, v.line_ids
from (values (-1, $1::bigint, $2::timestamp with time zone, $3::text, $4::bigint, $5::bigint, $6::bigint, $7::smallint, $8::integer, (extract(year from ($9::timestamptz at time zone current_setting('timezone'))) * 12 + extract(month from ($9::timestamptz at time zone current_setting('timezone'))) - 1)::integer, $10::text::bigint[]), (1, $11::bigint, $12::timestamp with time zone, $13::text, $14::bigint, $15::bigint, $16::bigint, $17::smallint, $18::integer, (extract(year from ($19::timestamptz at time zone current_setting('timezone'))) * 12 + extract(month from ($19::timestamptz at time zone current_setting('timezone'))) - 1)::integer, $20::text::bigint[])) v (delta, id, created_at, text_key, client_id, user_id, type_id, status, month, paid_month, line_ids)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true;

-- search key of a changed invoice
update invoice_search set text_key = $2 where id = $1;

-- search key of a removed invoice
delete from invoice_search where id = $1;

-- invoice changed with all its lines
insert into invoice_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, client_id, user_id, type_id, status, month, paid_month, line_ids)
overriding user value
select b.id, :placeholder, :version, v.delta, v.id, v.created_at, v.text_key, v.client_id, v.user_id, v.type_id, v.status, v.month, v.paid_month, v.line_ids || s.ids
from (values (-1, $1::bigint, $2::timestamp with time zone, $3::text, $4::bigint, $5::bigint, $6::bigint, $7::smallint, $8::integer, (extract(year from ($9::timestamptz at time zone current_setting('timezone'))) * 12 + extract(month from ($9::timestamptz at time zone current_setting('timezone'))) - 1)::integer, $10::text::bigint[]), (1, $11::bigint, $12::timestamp with time zone, $13::text, $14::bigint, $15::bigint, $16::bigint, $17::smallint, $18::integer, (extract(year from ($19::timestamptz at time zone current_setting('timezone'))) * 12 + extract(month from ($19::timestamptz at time zone current_setting('timezone'))) - 1)::integer, $20::text::bigint[])) v (delta, id, created_at, text_key, client_id, user_id, type_id, status, month, paid_month, line_ids)
left join (
    select id
    from change_batches
    order by id desc
    limit 1
    for key share
) b on true
cross join (
    select array(
        select id
        from invoice_lines
        where invoice_id = $1 and id <> all($20::text::bigint[])
        order by id
    )
) s (ids);

-- offers of a deal with another client
insert into offer_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, client_id)
overriding user value
select b.id, :placeholder, :version, v.delta, r.id, r.created_on, r.number_key, v.client_id
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
insert into contract_changes (batch_id, seq, writer_version, delta, id, created_at, text_key, client_id)
overriding user value
select b.id, :placeholder, :version, v.delta, r.id, r.created_on, r.number_key, v.client_id
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

