insert into settings (name, value)
values ('timezone', 'Europe/Berlin');
