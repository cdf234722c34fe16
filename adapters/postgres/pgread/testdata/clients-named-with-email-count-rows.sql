-- /rest/client?fields=name&name=nord&email=office@nord.example
-- first page; rows: sort matches; total: count rows; parameters: $1 :name, $2 :email
select counted.total, r.created_at, r.id, r.version, r.type, r.name
from (
    select count(*) as total
    from clients r
    where r.id in (select s.id from client_search s where s.text_key like :name)
        and r.email_key = :email
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
        select r.id, r.created_at as key
        from (select s.id from client_search s where s.text_key like :name offset 0) as f
        cross join lateral (
            select r.*
            from clients r
            where r.id = f.id
                and r.email_key = :email
            offset 0
        ) r
        order by r.created_at desc, r.id desc
        limit 10
    ) u
    limit 10
) page on true
left join clients r on r.id = page.id
order by r.created_at desc, r.id desc;
