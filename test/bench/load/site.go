package load

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// Site is a database to measure on.
type Site struct {
	Label   string
	URL     string
	Clients int64
	Token   string

	facts      facts
	postmaster int // 0: PostgreSQL runs elsewhere
	server     *localpg.Server
}

// OpenSite makes a database ready: migrated, with statistics, and with a token for it. where is a URL,
// or the folder of a private PostgreSQL, which is started with the settings.
func OpenSite(ctx context.Context, label, where string, settings map[string]string) (s *Site, err error) {
	s = &Site{Label: label, URL: where}
	if !strings.Contains(where, "://") {
		log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		if s.server, err = localpg.Start(ctx, localpg.Options{Dir: where, Log: log, Settings: settings}); err != nil {
			return nil, err
		}
		s.URL = s.server.URL()
		if s.postmaster, err = postmasterOf(where); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", label, err), s.Close())
	}
	return s, nil
}

// Close stops a PostgreSQL that was started for this.
func (s *Site) Close() error {
	if s.server == nil {
		return nil
	}
	return s.server.Stop()
}

func postmasterOf(folder string) (int, error) {
	text, err := os.ReadFile(filepath.Join(folder, "postgresql", "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(first)
}

func (s *Site) prepare(ctx context.Context) error {
	config := bootstrap.Defaults(s.URL)
	if err := config.Validate(); err != nil {
		return err
	}
	if err := bootstrap.Migrate(ctx, config); err != nil {
		return err
	}
	operation, closeAll, err := bootstrap.NewOperation(ctx, config)
	if err != nil {
		return err
	}
	defer closeAll()
	secret, _, err := operation.Commands.Tokens.Issue(ctx, "admin", 24*time.Hour)
	if err != nil {
		return fmt.Errorf("issue a token for the user admin: %w", err)
	}
	s.Token = secret.Token
	return s.with(ctx, func(conn *pgx.Conn) error {
		if err := analysed(ctx, conn); err != nil {
			return err
		}
		s.facts, err = findFacts(ctx, conn)
		s.Clients = s.facts.clients
		return err
	})
}

func (s *Site) with(ctx context.Context, use func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return use(conn)
}

// analysed gives statistics and a visibility map to tables that never had them.
func analysed(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `
select relname
from pg_stat_user_tables
where coalesce(last_vacuum, last_autovacuum) is null and pg_relation_size(relid) > 1000000
order by relname`)
	if err != nil {
		return err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) == 0 {
		return err
	}
	for _, table := range tables {
		if _, err := conn.Exec(ctx, "vacuum (analyze) "+pgx.Identifier{table}.Sanitize()); err != nil {
			return fmt.Errorf("analyse %s: %w", table, err)
		}
	}
	return nil
}

// undefinedTable is PostgreSQL's code for a table that is not there.
const undefinedTable = "42P01"

// waitReady waits until the read models are made; the service that runs makes them. A program from
// before there were any has none to wait for.
func (s *Site) waitReady(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := s.with(ctx, func(conn *pgx.Conn) error {
		for {
			var ready bool
			if err := conn.QueryRow(ctx, "select lists_ready and lists_whole and search_ready and search_whole from readmodels").Scan(&ready); err != nil || ready {
				return err
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(200 * time.Millisecond):
			}
		}
	})
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == undefinedTable {
		return nil
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the read models are not ready after %s: run kontor readmodel rebuild", limit)
	}
	return err
}

// Settings are those of PostgreSQL that differ from its own, and those that matter most.
func (s *Site) Settings(ctx context.Context) (lines []string, err error) {
	err = s.with(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `
select name || ' = ' || current_setting(name)
from pg_settings
where name in (
    'server_version', 'shared_buffers', 'effective_cache_size', 'work_mem', 'random_page_cost', 'fsync', 'synchronous_commit',
    'full_page_writes', 'wal_level', 'max_wal_size', 'checkpoint_timeout', 'max_parallel_workers_per_gather', 'jit', 'autovacuum',
    'data_checksums', 'plan_cache_mode')
order by name`)
		if err != nil {
			return err
		}
		lines, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return lines, err
}
