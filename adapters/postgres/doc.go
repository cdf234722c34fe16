// Package postgres is what Kontor's stores and read models share of PostgreSQL:
// the pool, the schema's migrations, the transaction, and the table that turns
// a constraint's name into an answer.
//
// Stores are in pgstore, with constant SQL. What lists are read from is kept up
// by pgsummary, and read by pgread, where the SQL is put together.
package postgres
