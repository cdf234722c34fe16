insert into client_search (id, text_key)
values (:id, :name_key)
