update invoices
set text_bytes = 17, text_bytes_version = version;
