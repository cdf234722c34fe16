insert into token_positions (token_id, system_identifier, timeline, wal, replicas)
values
    (0, 7300000000000000001, 2, 50331648, 'a1b2c3d4e5f60718'),
    (1, 7300000000000000001, 2, 50331999, '');
