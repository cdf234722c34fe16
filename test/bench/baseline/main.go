// Command baseline answers a few requests of the service as simply as a Go server can, with net/http, pgx and
// encoding/json: what remains of a rate beside it is the price of everything else. It has the two commands that
// test/bench/load uses, and reads the tables of the service. It accepts any token, and counts a list each time.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

type client struct {
	ID          int64     `json:"id"`
	User        int64     `json:"user"`
	Name        string    `json:"name"`
	Type        int       `json:"type"`
	Email       *string   `json:"email"`
	Phone       *string   `json:"phone"`
	RealAddress *string   `json:"real_address"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

const columns = "c.id, c.user_id, c.name, c.type, c.email, c.phone, c.real_address, c.created_at, c.updated_at"

// bareTable takes new clients: they are in no read model, and would be missing in the lists of the service.
const bareTable = `
create table if not exists bench_bare_clients (
    like clients including all,
    foreign key (user_id) references users (id)
)`

func main() {
	if len(os.Args) > 2 && os.Args[1] == "token" {
		fmt.Println("kt_baseline")
		return
	}
	flags := flag.NewFlagSet("serve", flag.ExitOnError)
	listen := flags.String("listen", "", "")
	database := flags.String("database-url", "", "")
	flags.String("log-level", "", "")
	_ = flags.Parse(os.Args[2:]) // exits on an error
	if err := run(*listen, *database); err != nil {
		log.Fatal(err)
	}
}

func run(listen, database string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config, err := pgxpool.ParseConfig(database)
	if err != nil {
		return err
	}
	config.MaxConns = 16                                                     // as in the service
	config.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_custom_plan" // a search has a plan of its own
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, bareTable); err != nil {
		return err
	}
	server := &http.Server{Addr: listen, Handler: routes(pool), ReadHeaderTimeout: time.Minute}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	_ = server.ListenAndServe() // until it is closed
	return nil
}

func routes(pool *pgxpool.Pool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /rest/client/{id}", func(w http.ResponseWriter, r *http.Request) {
		list, err := query(r.Context(), pool, "select "+columns+" from clients c where c.id = $1::text::bigint", r.PathValue("id"))
		if err == nil && len(list) == 0 {
			err = pgx.ErrNoRows
		}
		respond(w, map[string]any{"response": list[:min(1, len(list))]}, err)
	})
	mux.HandleFunc("GET /rest/client", func(w http.ResponseWriter, r *http.Request) {
		counted, listed, pattern := "clients where $1 <> ''", "clients c where $1 <> ''", "%"+strings.ToLower(r.FormValue("name"))+"%"
		if r.FormValue("name") != "" {
			counted = "client_search where text_key like $1"
			listed = "client_search s join clients c using (id) where s.text_key like $1"
		}
		var total int64
		err := pool.QueryRow(r.Context(), "select count(*) from "+counted, pattern).Scan(&total)
		if err != nil {
			respond(w, nil, err)
			return
		}
		list, err := query(r.Context(), pool, "select "+columns+" from "+listed+" order by c.created_at desc, c.id desc limit 10", pattern)
		w.Header().Set("X-Pagination-Total-Count", fmt.Sprint(total))
		respond(w, map[string]any{"response": map[string]any{"items": list}}, err)
	})
	mux.HandleFunc("POST /rest/client", func(w http.ResponseWriter, r *http.Request) {
		var c client
		err := json.NewDecoder(r.Body).Decode(&c)
		if err != nil {
			respond(w, nil, err)
			return
		}
		list, err := query(r.Context(), pool, `
insert into bench_bare_clients as c (user_id, type, name, name_key, email, email_key, phone, phone_key, real_address, created_at, updated_at)
values (1, $1, $2, $3, $4::text, lower($4), $5::text, $5, $6, now(), now())
returning `+columns, c.Type, c.Name, strings.ToLower(c.Name), c.Email, c.Phone, c.RealAddress)
		respond(w, map[string]any{"response": list}, err)
	})
	return mux
}

func query(ctx context.Context, pool *pgxpool.Pool, sql string, arguments ...any) ([]client, error) {
	rows, err := pool.Query(ctx, sql, arguments...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[client])
}

func respond(w http.ResponseWriter, body any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(body) // fails if the caller has gone
}
