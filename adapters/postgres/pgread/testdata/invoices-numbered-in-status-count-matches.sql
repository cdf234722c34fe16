-- /rest/invoice?number=777&status=2
-- count the matches, to be cached; parameters: $1 :number, $2 :status
with matching as materialized (
    select f.id
    from (select s.id from invoice_search s where s.text_key like :number offset 0) as f
    join invoices r on r.id = f.id
    where r.status = :status
)
select (select count(*) from matching), m.oldest_open_batch, (
    select coalesce(sum(t.delta), 0)
    from invoice_changes t
    where t.batch_id >= m.oldest_open_batch
        and t.status = :status
        and t.text_key like :number
), (
    select coalesce(sum(l.record_count), 0)
    from page_index l
    where l.list = 'invoices'
), array(
    (select id from matching limit 101)
    union (
        select t.id
        from invoice_changes t
        where t.batch_id >= m.oldest_open_batch
            and t.status = :status
            and t.text_key like :number
        limit 101
    )
), (
    select p.token
    from read_model_positions p
    where p.batch_id = m.oldest_open_batch
)
from read_model_state m
where m.id = 1
    and m.lists_ready
    and m.search_ready;
