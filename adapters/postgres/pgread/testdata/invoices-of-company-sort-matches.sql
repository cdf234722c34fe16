-- /rest/invoice?fields=number&company=nord
-- first page; rows: sort matches; total: counts of matching clients; parameters: $1 :company
select counted.total, counted.list_size, r.created_on, r.id, r.version, r.number
from (
    select ((
        select coalesce(sum((select k.invoices from client_counts k where k.client_id = s.id)), 0)
        from client_search s
        where s.text_key like :company
    ) + (
        select coalesce(sum(t.delta), 0)
        from invoice_changes t
        where t.batch_id >= m.oldest_open_batch
            and t.client_id in (select s.id from client_search s where s.text_key like :company)
    ))::bigint as total, m.oldest_open_batch, (
        select coalesce(sum(l.record_count), 0)
        from page_index l
        where l.list = 'invoices'
    ) as list_size
    from read_model_state m
    where m.id = 1
        and m.lists_ready
        and m.search_ready
    offset 0
) as counted
left join lateral (
    select u.id
    from (
        select r.id, r.created_on as key
        from (select s.id from client_search s where s.text_key like :company offset 0) as f
        cross join lateral (select r.* from invoices r where r.client_id = f.id offset 0) r
        order by r.created_on desc, r.id desc
        limit 20
    ) u
    limit 20
) page on true
left join invoices r on r.id = page.id
order by r.created_on desc, r.id desc;
