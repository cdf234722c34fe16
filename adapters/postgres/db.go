package postgres

import "github.com/jackc/pgx/v5/pgxpool"

// DB is the database of one company, for stores, readers and workers.
type DB = *pgxpool.Pool
