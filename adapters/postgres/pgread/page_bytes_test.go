package pgread_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// contract 2.39
func TestPageBeyondMaxBytesClosesItsConnection(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	const text = 60_000
	rows := readmodel.MaxBytes/text + 10
	if _, err := c.Pool.Exec(t.Context(), `
insert into clients (user_id, type, name, name_key, description, created_at, updated_at)
select 1, 1, 'n', 'n', $1, now(), now()
from generate_series(1, $2::int)`, strings.Repeat("x", text), rows); err != nil {
		t.Fatal(err)
	}
	config := c.Pool.Config()
	config.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	backend := func() (pid int) {
		if err := pool.QueryRow(t.Context(), "select pg_backend_pid()").Scan(&pid); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	s, err := query.Select(readmodel.Clients, query.Parameters{Fields: domain.Some("id,description")})
	if err != nil {
		t.Fatal(err)
	}
	before := backend()
	q := readmodel.Query[readmodel.ClientFilter]{Select: s, Sort: []readmodel.Order{{Attribute: "id"}}, Page: readmodel.Page{Number: 1, Size: rows}}
	if _, err = pgread.NewClients(pool).List(t.Context(), q); !errors.Is(err, readmodel.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	if backend() == before {
		t.Error("the connection, which still has rows of the page, serves the next statement")
	}
}
