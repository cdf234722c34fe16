package postgres

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestTimelinesRefuseALowerOneOfTheSameCluster(t *testing.T) {
	t.Parallel()
	seen := NewTimelines(slog.New(slog.DiscardHandler))
	for _, c := range []struct {
		system   string
		timeline int64
		refused  bool
	}{
		{"a", 1, false}, {"a", 1, false}, {"a", 3, false}, {"a", 2, true}, {"a", 0, false}, {"a", 3, false}, {"b", 1, false}, {"a", 1, true},
	} {
		err := seen.note(c.system, c.timeline)
		former, refused := errors.AsType[FormerPrimary](err)
		if refused != c.refused || refused && former != (FormerPrimary{c.timeline, 3}) {
			t.Errorf("timeline %d of cluster %s: %v", c.timeline, c.system, err)
		}
	}
}

func TestTimelinesAreReadWithSeveralHostsOnly(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{
		"postgres://a/kontor": false, "postgres://a/kontor?sslmode=disable": false, "postgres://a,b/kontor": true,
		"postgres://a:1,a:2/kontor?sslmode=disable": true,
	} {
		config, err := pgconn.ParseConfig(url)
		if err != nil {
			t.Fatal(err)
		}
		NewTimelines(nil).watch(config)
		if got := config.ValidateConnect != nil; got != want {
			t.Errorf("%s: read %v", url, got)
		}
	}
}
