insert into clients (
    user_id, type, name, name_key, email, email_key, phone, phone_key, real_address, real_address_key, created_at, updated_at
)
values (
    :user_id, :type, :name, :name_key, :email, :email_key, :phone, :phone_key, :real_address, :real_address_key, :now, :now
)
returning id
