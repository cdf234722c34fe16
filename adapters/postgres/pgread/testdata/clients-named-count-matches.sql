-- /rest/client?name=nord
-- count the matches, to be cached; parameters: $1 :name
with matching as materialized (
    select f.id
    from (select s.id from client_search s where s.text_key like :name offset 0) as f
)
select (select count(*) from matching), m.oldest_open_batch, (
    select coalesce(sum(t.delta), 0)
    from client_changes t
    where t.batch_id >= m.oldest_open_batch
        and t.text_key like :name
), (
    select coalesce(sum(l.record_count), 0)
    from page_index l
    where l.list = 'clients'
), array(
    (select id from matching limit 101)
    union (
        select t.id
        from client_changes t
        where t.batch_id >= m.oldest_open_batch
            and t.text_key like :name
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
