package localpg

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// contract 11.9
func TestDeadDatabaseIsStartedAgain(t *testing.T) {
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
	pid := postmasterOf(t, dir)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ended(t, pid)
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
	eventually(t, "the data are half made", func() bool {
		_, err := os.Stat(filepath.Join(dir, "postgresql.new", "PG_VERSION"))
		return err == nil
	})
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("the start gives %v, want that it was cancelled", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "socket" {
			t.Errorf("%s was left in the data directory", e.Name())
		}
	}
	start(t, optionsOf(t, dir))
}

// contract 11.11
func TestStartTakesOverTheServerOfAKilledKontor(t *testing.T) {
	t.Parallel()
	dir := usedFolder(t)
	c := startChild(t, dir)
	pid := postmasterOf(t, dir)
	c.kill()
	s := start(t, optionsOf(t, dir))
	if got := mustAsk[int](t, s, "select 1"); got != 1 || postmasterOf(t, dir) != pid {
		t.Errorf("the database answers %d from another process", got)
	}
	stop(t, s)
	ended(t, pid)
}

// contract 11.11
func TestStartRecoversAfterBothWereKilled(t *testing.T) {
	t.Parallel()
	dir := usedFolder(t)
	c := startChild(t, dir)
	s, err := Attach(deadline(t), optionsOf(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	do(t, s, "create table marks as select 42 as answer")
	pid := postmasterOf(t, dir)
	c.kill()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ended(t, pid)
	s = start(t, optionsOf(t, dir))
	if got := mustAsk[int](t, s, "select answer from marks"); got != 42 {
		t.Errorf("after the crash the table holds %d, want 42", got)
	}
}

// contract 11.1
func TestStartRepeatsAnInterruptedFirstStart(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	halfDone := filepath.Join(dir, "postgresql.new", "base")
	if err := os.MkdirAll(halfDone, 0o755); err != nil {
		t.Fatal(err)
	}
	s := start(t, optionsOf(t, dir))
	if got := mustAsk[int](t, s, "select 1"); got != 1 {
		t.Errorf("the database answers %d", got)
	}
	if _, err := os.Stat(halfDone); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what the interrupted start left is still there: %v", err)
	}
}
