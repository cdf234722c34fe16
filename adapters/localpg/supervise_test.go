package localpg

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// contract 11.9
func TestSupervisorRestartsADeadDatabase(t *testing.T) {
	t.Parallel()
	dir := usedFolder(t)
	s := start(t, optionsOf(t, dir))
	do(t, s, "create table marks as select 42 as answer")
	for range 2 {
		pid := postmasterOf(t, dir)
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the database answers from a new process", func() bool {
			answer, err := ask[int](deadline(t), s, "select answer from marks")
			return err == nil && answer == 42 && postmasterOf(t, dir) != pid
		})
	}
}

func TestStopWhileTheDatabaseIsDownReleasesTheFolder(t *testing.T) {
	t.Parallel()
	dir := usedFolder(t)
	s := start(t, optionsOf(t, dir))
	if err := syscall.Kill(postmasterOf(t, dir), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	stop(t, s)
	start(t, optionsOf(t, dir))
}

func TestStartFailureReportsPostgreSQLsMessage(t *testing.T) {
	t.Parallel()
	dir := usedFolder(t)
	bad := optionsOf(t, dir)
	bad.Settings["shared_buffers"] = "plenty"
	_, err := Start(deadline(t), bad)
	if err == nil || !strings.Contains(err.Error(), `invalid value for parameter "shared_buffers"`) {
		t.Errorf("the start gives %v, want PostgreSQL's own words", err)
	}
	start(t, optionsOf(t, dir))
}

func TestStartCancelledLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error)
	go func() {
		_, err := Start(ctx, optionsOf(t, dir))
		failed <- err
	}()
	halfMade := func() []string {
		found, _ := filepath.Glob(filepath.Join(dir, "initdb-*", "PG_VERSION")) // the pattern is well formed
		return found
	}
	eventually(t, "the data are half made", func() bool { return len(halfMade()) == 1 })
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("the start gives %v, want that it was cancelled", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "lock" && e.Name() != "socket" {
			t.Errorf("%s was left in the data directory", e.Name())
		}
	}
	start(t, optionsOf(t, dir))
}

func TestStopEscalatesIfTheServerDoesNotStop(t *testing.T) {
	for _, c := range []struct {
		endsAt syscall.Signal
		after  time.Duration
		want   []syscall.Signal
		err    error
	}{
		{syscall.SIGINT, 0, []syscall.Signal{syscall.SIGINT}, nil},
		{syscall.SIGQUIT, 20 * time.Second, []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT}, errStoppedWithoutCheckpoint},
		{syscall.SIGKILL, 25 * time.Second, []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL}, errStoppedWithoutCheckpoint},
	} {
		synctest.Test(t, func(t *testing.T) {
			var got []syscall.Signal
			ended := make(chan struct{})
			begin := time.Now()
			err := shutDown(t.Context(), func(s syscall.Signal) error {
				got = append(got, s)
				if s == c.endsAt {
					close(ended)
				}
				return nil
			}, ended)
			if !errors.Is(err, c.err) {
				t.Errorf("ending at %v gives %v, want %v", c.endsAt, err, c.err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("signals (-want +got):\n%s", diff)
			}
			if took := time.Since(begin); took != c.after {
				t.Errorf("ending at %v took %v, want %v", c.endsAt, took, c.after)
			}
		})
	}
}

func TestRelayLogsMessagesByTheirSeverity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line    string
		settled bool
		want    slog.Level
	}{
		{"postmaster|LOG:  starting PostgreSQL", false, slog.LevelDebug},
		{"postmaster|LOG:  server process (PID 7) was terminated by signal 11", true, slog.LevelInfo},
		{"checkpointer|LOG:  checkpoint complete", true, slog.LevelDebug},
		{"checkpointer|ERROR:  could not write: No space left on device", true, slog.LevelError},
		{"autovacuum worker|WARNING:  oldest xmin is far in the past", true, slog.LevelWarn},
		{"client backend|ERROR:  duplicate key value", true, slog.LevelDebug},
		{"client backend|PANIC:  could not write to log file", true, slog.LevelError},
		{"postgres: could not access directory", false, slog.LevelWarn},
	} {
		r := newRelay(slog.Default())
		r.settled.Store(c.settled)
		if _, _, got := r.parse(c.line); got != c.want {
			t.Errorf("%q is logged as %v, want %v", c.line, got, c.want)
		}
	}
}
