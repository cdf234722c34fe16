package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// Timelines has the highest timeline that the process has seen of each cluster. Each promotion begins a higher one, so
// that a primary on a lower one is a former primary, whose changes would be lost. One value is for all
// connections of a process.
type Timelines struct {
	log *slog.Logger

	mu      sync.Mutex
	highest map[string]int64 // by system identifier
}

// NewTimelines returns timelines of which none has been seen. The log gets an error for each primary that is refused.
func NewTimelines(log *slog.Logger) *Timelines {
	return &Timelines{log: log, highest: map[string]int64{}}
}

// FormerPrimary is the error of a connection to a primary on a lower timeline than that of another one.
type FormerPrimary struct{ Timeline, Highest int64 }

func (e FormerPrimary) Error() string {
	return fmt.Sprintf("the server is a former primary: its timeline is %d, and that of its cluster is %d", e.Timeline, e.Highest)
}

// timelineQuery reads the system identifier and the timeline that the server writes, or 0 of one that only replays. The
// timeline of the last checkpoint would be too low for a moment after a promotion.
const timelineQuery = `
select s.system_identifier,
    case when pg_is_in_recovery() then 0 else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint end
from pg_control_system() s`

// watch has connecting refuse former primaries, if the URL has several hosts: the others are asked then. With one host,
// whoever moves its address chooses the primary.
func (t *Timelines) watch(config *pgconn.Config) {
	if t == nil || !hasSeveralHosts(config) {
		return
	}
	validate := config.ValidateConnect
	config.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if validate != nil {
			if err := validate(ctx, conn); err != nil {
				return err
			}
		}
		return t.check(ctx, conn)
	}
}

func hasSeveralHosts(config *pgconn.Config) bool {
	for _, other := range config.Fallbacks { // one host has a fallback without TLS
		if other.Host != config.Host || other.Port != config.Port {
			return true
		}
	}
	return false
}

func (t *Timelines) check(ctx context.Context, conn *pgconn.PgConn) error {
	results, err := conn.Exec(ctx, timelineQuery).ReadAll()
	if err != nil {
		return fmt.Errorf("read the timeline of the server: %w", err)
	}
	row := results[0].Rows[0]
	timeline, err := strconv.ParseInt(string(row[1]), 10, 64)
	if err != nil {
		return fmt.Errorf("read the timeline of the server: %w", err)
	}
	if err := t.note(string(row[0]), timeline); err != nil {
		t.log.Error("a former primary is refused", "server", conn.Conn().RemoteAddr().String(), "error", err)
		return err
	}
	return nil
}

// note returns a FormerPrimary if the timeline is lower than one of the same cluster before. 0 is that of a replica.
func (t *Timelines) note(system string, timeline int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	highest := t.highest[system]
	if 0 < timeline && timeline < highest {
		return FormerPrimary{timeline, highest}
	}
	t.highest[system] = max(highest, timeline)
	return nil
}
