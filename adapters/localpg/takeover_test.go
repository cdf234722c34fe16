package localpg

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// contract 11.11
func TestTakeoverOfAnOrphanAfterAKill(t *testing.T) {
	t.Parallel()
	dir := usedFolder(t)
	c := startChild(t, dir)
	orphan := postmasterOf(t, dir)
	c.kill()
	if err := syscall.Kill(orphan, 0); err != nil {
		t.Fatalf("the kill left no orphan to take over: %v", err)
	}
	s := start(t, optionsOf(t, dir))
	if got := mustAsk[int](t, s, "select 1"); got != 1 {
		t.Errorf("the database answers %d", got)
	}
	if alive, err := runsOn(orphan, filepath.Join(dir, "postgresql")); alive || err != nil {
		t.Errorf("the orphan %d still runs beside the new server: %v", orphan, err)
	}
}

// contract 11.11
func TestTakeoverRecoversAfterBothWereKilled(t *testing.T) {
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
	s = start(t, optionsOf(t, dir))
	if got := mustAsk[int](t, s, "select answer from marks"); got != 42 {
		t.Errorf("after the crash the table holds %d, want 42", got)
	}
}

// contract 11.11: after a reboot the number in a pid file may belong to any program
func TestTakeoverSparesAnotherProgramInThePidFile(t *testing.T) {
	t.Parallel()
	dir := usedFolder(t)
	s := start(t, optionsOf(t, dir))
	stop(t, s)

	other := s.instance.account.command(t.Context(), "/", "/bin/sleep", "300")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- other.Wait() }()
	text := fmt.Sprintf("%d\n%s\n1700000000\n5432\n%s\n\n", other.Process.Pid, filepath.Join(dir, "postgresql"), filepath.Join(dir, "socket"))
	for _, stale := range []string{"postgresql/postmaster.pid", "socket/.s.PGSQL.5432.lock"} {
		path := filepath.Join(dir, stale)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.instance.account.own(path); err != nil {
			t.Fatal(err)
		}
	}

	s = start(t, optionsOf(t, dir))
	if got := mustAsk[int](t, s, "select 1"); got != 1 {
		t.Errorf("the database answers %d", got)
	}
	select {
	case err := <-ended:
		t.Errorf("the other program was ended: %v", err)
	default:
	}
}

// contract 11.1
func TestTakeoverRepeatsAnInterruptedFirstStart(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	halfDone := filepath.Join(dir, "initdb-12345", "base")
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
