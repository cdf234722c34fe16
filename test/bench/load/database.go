package load

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/adapters/localpg"
)

// database is a database of bench-data.
type database struct {
	label string
	url   string
	facts facts

	postmaster int // process id; 0 if PostgreSQL is not on this machine
	server     *localpg.Server
}

// openDatabase opens label=place or place. A place is a URL, or the folder of a private PostgreSQL, which is
// started with the settings.
func openDatabase(ctx context.Context, named string, settings map[string]string) (d *database, err error) {
	label, place, ok := strings.Cut(named, "=")
	if !ok || strings.ContainsAny(label, "/:") {
		label, place = filepath.Base(named), named
	}
	d = &database{label: label, url: place}
	if !strings.Contains(place, "://") {
		log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		if d.server, err = localpg.Start(ctx, localpg.Options{Dir: place, Log: log, Settings: settings}); err != nil {
			return nil, err
		}
		d.url = d.server.URL()
		if d.postmaster, err = postmasterOf(place); err != nil {
			return nil, errors.Join(err, d.close())
		}
	}
	if err := d.read(ctx); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// close stops a PostgreSQL that was started here.
func (d *database) close() error {
	if d.server == nil {
		return nil
	}
	return d.server.Stop()
}

func postmasterOf(folder string) (int, error) {
	text, err := os.ReadFile(filepath.Join(folder, "postgresql", "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(first)
}

func (d *database) read(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, d.url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if d.postmaster == 0 {
		d.postmaster = PostmasterBehind(conn.PgConn())
	}
	d.facts, err = readFacts(ctx, conn)
	return err
}

// PostmasterBehind is the process that has started the one of the connection; 0 if that is not on this machine.
func PostmasterBehind(conn *pgconn.PgConn) int {
	host, _, err := net.SplitHostPort(conn.Conn().RemoteAddr().String())
	if err == nil && !net.ParseIP(host).IsLoopback() {
		return 0
	}
	folder := fmt.Sprintf("/proc/%d/", conn.PID())
	name, err := os.ReadFile(folder + "comm")
	if err != nil || string(name) != "postgres\n" { // as behind a proxy
		return 0
	}
	text, err := os.ReadFile(folder + "stat")
	if err != nil {
		return 0
	}
	s, _ := readStat(text)
	return s.parent
}

// settings are the settings of PostgreSQL, and of the kernel, that matter most here.
func (d *database) settings(ctx context.Context) (lines []string, err error) {
	conn, err := pgx.Connect(ctx, d.url)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	rows, err := conn.Query(ctx, `
select name || ' = ' || current_setting(name)
from pg_settings
where name in ('server_version', 'shared_buffers', 'work_mem', 'fsync', 'synchronous_commit', 'max_wal_size', 'autovacuum')
order by name`)
	if err != nil {
		return nil, err
	}
	if lines, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return nil, err
	}
	if value, err := os.ReadFile("/proc/sys/kernel/" + autogroup); err == nil { // Linux only
		lines = append(lines, "kernel."+autogroup+" = "+strings.TrimSpace(string(value)))
	}
	return lines, nil
}

// autogroup is the kernel setting that schedules each session as one process, and so each connection
// of PostgreSQL. Short statements then wait longer for a busy processor.
const autogroup = "sched_autogroup_enabled"
