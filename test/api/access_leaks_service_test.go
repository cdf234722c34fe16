package api_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// output is text written from any goroutine.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (n *output) Write(b []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(b)
}

func (n *output) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

// observed is a service that logs on level debug, exports traces and serves
// operators, on a PostgreSQL of its own.
type observed struct {
	t        *testing.T
	folder   string // of the database
	database *localpg.Server
	observer *pgx.Conn // nil after the database was stopped
	config   bootstrap.Config
	service  *bootstrap.Service
	closeAll func()

	log, traces, activity, responses output
	tokens                           map[string]credentials
	sent                             int // number of requests; each has a client address of its own
}

func observe(t *testing.T) *observed {
	t.Helper()
	w := &observed{t: t, folder: reachable(t)}
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(&w.traces, r.Body) }))
	t.Cleanup(collector.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	var err error
	w.database, err = localpg.Start(t.Context(), localpg.Options{Dir: w.folder, Log: slog.New(slog.DiscardHandler), Settings: map[string]string{
		"fsync": "off", "log_error_verbosity": "default",
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.database.Stop(); err != nil {
			t.Error(err)
		}
	})
	w.config = bootstrap.Defaults(w.database.URL())
	w.config.AdminListen, w.config.MaxBody = "127.0.0.1:0", 4096
	w.config.RequestTimeout, w.config.StatementTimeout = 3*time.Second, time.Second
	if err := w.config.Validate(); err != nil {
		t.Fatal(err)
	}
	if err := bootstrap.Migrate(t.Context(), w.config); err != nil {
		t.Fatal(err)
	}
	w.tokens = issue(t, w.config)
	w.logStatements()
	w.service, w.closeAll, err = bootstrap.NewService(t.Context(), w.config, debugLogger(&w.log))
	if err != nil {
		t.Fatal(err)
	}
	w.observer, err = pgx.Connect(t.Context(), w.database.URL())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func debugLogger(to io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// logStatements has PostgreSQL log every statement with its parameters and plan.
func (w *observed) logStatements() {
	w.t.Helper()
	w.order("alter database kontor set log_statement = 'all'")
	w.order("alter database kontor set log_min_duration_statement = 0")
	w.order("alter database kontor set log_min_error_statement = 'debug5'")
	w.order("alter database kontor set log_parameter_max_length_on_error = -1")
	if _, err := os.Stat(filepath.Join(w.asked("select setting from pg_config where name = 'PKGLIBDIR'"), "auto_explain.so")); err != nil {
		w.t.Log("without plans: PostgreSQL has no auto_explain here")
		return
	}
	w.order("alter database kontor set session_preload_libraries = 'auto_explain'")
	w.order("load 'auto_explain'; alter database kontor set auto_explain.log_min_duration = 0")
	w.order("load 'auto_explain'; alter database kontor set auto_explain.log_analyze = on")
	w.order("load 'auto_explain'; alter database kontor set auto_explain.log_verbose = on")
}

func (w *observed) order(sql string) {
	w.t.Helper()
	w.with(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
		return err
	})
}

func (w *observed) asked(sql string) (text string) {
	w.t.Helper()
	w.with(func(ctx context.Context, conn *pgx.Conn) error { return conn.QueryRow(ctx, sql).Scan(&text) })
	return text
}

func (w *observed) with(use func(ctx context.Context, conn *pgx.Conn) error) {
	w.t.Helper()
	conn, err := pgx.Connect(w.t.Context(), w.database.URL())
	if err == nil {
		err = use(w.t.Context(), conn)
		_ = conn.Close(w.t.Context())
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// observe records the statements in pg_stat_activity: the current or last one of
// each connection.
func (w *observed) observe() {
	w.t.Helper()
	var text string
	err := w.observer.QueryRow(w.t.Context(), "select coalesce(string_agg(distinct query, e'\n'), '') from pg_stat_activity where pid <> pg_backend_pid()").Scan(&text)
	if err != nil {
		w.t.Fatal(err)
	}
	fmt.Fprintln(&w.activity, text)
}

// stop stops the database.
func (w *observed) stop() {
	w.t.Helper()
	err := errors.Join(w.observer.Close(w.t.Context()), w.database.Stop())
	w.observer = nil
	if err != nil {
		w.t.Fatal(err)
	}
}

// databaseLog returns the log of the database.
func (w *observed) databaseLog() string {
	w.t.Helper()
	logs, err := filepath.Glob(filepath.Join(w.folder, "postgresql", "log", "*.log"))
	if err != nil {
		w.t.Fatal(err)
	}
	var all strings.Builder
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err != nil {
			w.t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// shown returns the output for operators.
func (w *observed) shown() string {
	w.t.Helper()
	var all bytes.Buffer
	for _, path := range []string{"/metrics", "/version", "/readyz", "/debug/pprof/goroutine?debug=2", "/debug/pprof/heap?debug=1"} {
		answer := httptest.NewRecorder()
		w.service.Admin.ServeHTTP(answer, httptest.NewRequestWithContext(w.t.Context(), http.MethodGet, path, nil))
		fmt.Fprintln(&all, answer.Result().Header, answer.Body)
	}
	return all.String()
}

// reachable is a folder that other users can enter, unlike t.TempDir: started by
// root, PostgreSQL runs as another user.
func reachable(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "kontor-test-") //nolint:usetesting // see above
	if err == nil {
		err = os.Chmod(folder, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	return folder
}
