-- /rest/invoice?fields=number&company=nord&status=2
-- first page; rows: sort matches; total: count rows; parameters: $1 :status, $2 :company
select counted.total, r.created_on, r.id, r.version, r.number
from (
    select count(*) as total
    from invoices r
    where r.status = :status
        and r.client_id in (select s.id from client_search s where s.text_key like :company)
    having (
        select m.lists_ready
            and m.search_ready
        from read_model_state m
        where m.id = 1
    )
) as counted
left join lateral (
    select u.id
    from (
        select r.id, r.created_on as key
        from (select s.id from client_search s where s.text_key like :company offset 0) as f
        cross join lateral (
            select r.*
            from invoices r
            where r.client_id = f.id
                and r.status = :status
            offset 0
        ) r
        order by r.created_on desc, r.id desc
        limit 20
    ) u
    limit 20
) page on true
left join invoices r on r.id = page.id
order by r.created_on desc, r.id desc;
