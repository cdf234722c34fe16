select
    (select count(*) from client_search s where s.text_key like @pattern),
    m.oldest_open_batch
from read_model_state m
where m.id = 1 and m.lists_ready and m.search_ready
