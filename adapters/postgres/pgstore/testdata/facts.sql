-- one question of each kind
select 1::smallint, 0::bigint, count(*), coalesce(sum(pay_price), 0)::text, min(date)
from invoices
where client_id = $1 and status = $2 and id <> all($3)
union all
select 2::smallint, status_id, count(*), '', null::timestamp
from deals
where client_id = $4 and id <> all($5)
group by status_id
union all
select 3::smallint, status_id, count(*), '', null::timestamp
from deals
where user_id = $6 and id <> all($7)
group by status_id
union all
select 4::smallint, status, count(*), '', null::timestamp
from invoices
where deal_id = $8 and id <> all($9)
group by status
union all
select 5::smallint, is_contract, number, '', null::timestamp
from (
    select 0::bigint, count(*) from offers where deal_id = $10 and id <> all($11)
    union all
    select 1::bigint, count(*) from contracts where deal_id = $12 and id <> all($13)
) d (is_contract, number)
union all
select 6::smallint, 0::bigint, 1::bigint, '', null::timestamp
from (
    select
    from invoices
    where number_key = $14 and number = $15 and performer_id = $16 and date >= $17 and date < $18 and id <> all($19)
    limit 1
) i;
