package localpg

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// contract 11.10
func TestLockErrorNamesTheOwnerOfTheFolder(t *testing.T) {
	t.Parallel()
	dir := usedFolder(t)
	c := startChild(t, dir)
	_, err := Start(deadline(t), optionsOf(t, dir))
	if !errors.Is(err, ErrInUse) {
		t.Fatalf("the second start gives %v, want ErrInUse", err)
	}
	for _, part := range []string{dir, fmt.Sprintf("process %d;", c.cmd.Process.Pid), "KONTOR_DATA_DIR"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not contain %q", err, part)
		}
	}
}

// contract 11.10
func TestLockIsTakenByOneOfTwoConcurrentStarts(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	errs := make(chan error, 2)
	started := make(chan *Server, 2)
	for range 2 {
		go func() {
			s, err := Start(deadline(t), optionsOf(t, dir))
			errs <- err
			started <- s
		}()
	}
	rejected := 0
	for range 2 {
		err := <-errs
		if s := <-started; s != nil {
			t.Cleanup(func() { stop(t, s) })
		}
		if errors.Is(err, ErrInUse) {
			rejected++
		} else if err != nil {
			t.Error(err)
		}
	}
	if rejected != 1 {
		t.Errorf("%d of two starts were rejected, want 1", rejected)
	}
}

// A child that has not become its program yet has all files of its parent open.
func TestLockIsReleasedEvenIfAChildHasItOpen(t *testing.T) {
	t.Parallel()
	f := folder{path: t.TempDir()}
	first, err := f.lock("")
	if err != nil {
		t.Fatal(err)
	}
	inherited, err := syscall.Dup(int(first.file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(inherited) })
	if err := first.release(); err != nil {
		t.Fatal(err)
	}
	second, err := f.lock("")
	if err != nil {
		t.Fatal(err)
	}
	if err := second.release(); err != nil {
		t.Error(err)
	}
}

func TestLockDoesNotFollowALink(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(filepath.Dir(dir), "target")
	if err := os.WriteFile(target, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, link := range map[string]func(string, string) error{"symbolic": os.Symlink, "hard": os.Link} {
		lock := filepath.Join(dir, "lock")
		if err := link(target, lock); err != nil {
			t.Fatal(err)
		}
		if _, err := Start(deadline(t), optionsOf(t, dir)); err == nil {
			t.Errorf("a start over a %s link succeeds", name)
		}
		if text, err := os.ReadFile(target); err != nil || string(text) != "precious" {
			t.Errorf("over a %s link the target became %q, %v", name, text, err)
		}
		if err := os.Remove(lock); err != nil {
			t.Fatal(err)
		}
	}
}

// contract 1.43
func TestAttachUsesTheRunningServerAndDoesNotStopIt(t *testing.T) {
	t.Parallel()
	dir := usedFolder(t)
	owner := start(t, optionsOf(t, dir))
	pid := postmasterOf(t, dir)
	attached, err := Attach(deadline(t), optionsOf(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	if got := mustAsk[int](t, attached, "select 1"); got != 1 {
		t.Errorf("the attached server answers %d", got)
	}
	stop(t, attached)
	if got := mustAsk[int](t, owner, "select 1"); got != 1 || postmasterOf(t, dir) != pid {
		t.Error("the owner's server was stopped or replaced")
	}
}

func TestAttachWaitsForAnOwnerThatIsStarting(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	starting := make(chan struct{})
	go func() {
		defer close(starting)
		start(t, optionsOf(t, dir))
	}()
	eventually(t, "the owner has the lock", func() bool {
		_, known := folderAt(dir).owner()
		return known
	})
	attached, err := Attach(deadline(t), optionsOf(t, dir))
	<-starting
	if err != nil {
		t.Fatal(err)
	}
	if attached.cancel != nil {
		t.Error("attaching started a server of its own")
	}
	if got := mustAsk[int](t, attached, "select 1"); got != 1 {
		t.Errorf("the attached server answers %d", got)
	}
}

// contract 1.43
func TestAttachStartsAndStopsAServerIfNoneRuns(t *testing.T) {
	t.Parallel()
	dir := usedFolder(t)
	attached, err := Attach(deadline(t), optionsOf(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	if got := mustAsk[int](t, attached, "select 1"); got != 1 {
		t.Errorf("the attached server answers %d", got)
	}
	stop(t, attached)
	if _, err := ask[int](deadline(t), attached, "select 1"); err == nil {
		t.Error("the server outlived the command that started it")
	}
	start(t, optionsOf(t, dir)) // the folder is free again
}
