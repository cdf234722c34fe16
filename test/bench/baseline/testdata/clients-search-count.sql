select
    (select count(*) from client_search s where s.text_key like @pattern),
    m.first_open
from readmodels m
where m.id = 1 and m.lists_ready and m.search_ready
