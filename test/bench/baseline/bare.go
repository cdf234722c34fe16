package baseline

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// bareTable takes the rows of bare creations: they have no changes and no search keys, and would be missing in
// lists of the table of clients. It has the same columns, checks and indexes, and the same foreign key.
const bareTable = `
create table if not exists bench_bare_clients (
    like clients including all,
    foreign key (user_id) references users (id)
)`

// bareClient is what a bare creation reads and writes in JSON.
type bareClient struct {
	ID          int64     `json:"id"`
	User        int64     `json:"user"`
	Name        string    `json:"name"`
	Type        int       `json:"type"`
	Email       string    `json:"email"`
	Phone       string    `json:"phone"`
	RealAddress string    `json:"real_address"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

// isBare reports whether a creation is to be a bare one. The service ignores the parameter.
func isBare(r *http.Request) bool { return r.URL.RawQuery == "bare=1" }

// createBareTable makes the table of bare creations.
func (s *Server) createBareTable(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, bareTable)
	return err
}

// createBareClient is what a creation costs without anything that the service derives, shows or checks: one insert
// in a transaction, with encoding/json.
func (s *Server) createBareClient(r *http.Request, b []byte) (response, error) {
	var c bareClient
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		return response{}, err
	}
	c.User, c.CreatedAt = 1, time.Now()
	c.UpdatedAt = c.CreatedAt
	err := pgx.BeginFunc(r.Context(), s.pool, func(tx pgx.Tx) error {
		return tx.QueryRow(r.Context(), `
insert into bench_bare_clients (
    user_id, type, name, name_key, email, email_key, phone, phone_key, real_address, real_address_key, created_at, updated_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
returning id`,
			c.User, c.Type, c.Name, strings.ToLower(c.Name), c.Email, strings.ToLower(c.Email), c.Phone, c.Phone,
			c.RealAddress, strings.ToLower(c.RealAddress), c.CreatedAt, c.UpdatedAt).Scan(&c.ID)
	})
	if err != nil {
		return response{}, err
	}
	text, err := json.Marshal(map[string]bareClient{"response": c})
	return response{body: append(b, text...)}, err
}
