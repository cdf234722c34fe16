package localpg

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// contract 11.10
func TestSecondStartNamesTheFolderInUse(t *testing.T) {
	t.Parallel()
	dir := usedFolder(t)
	startChild(t, dir)
	_, err := Start(deadline(t), optionsOf(t, dir))
	if !errors.Is(err, ErrInUse) {
		t.Fatalf("the second start gives %v, want ErrInUse", err)
	}
	for _, part := range []string{dir, "another kontor serve", "KONTOR_DATA_DIR"} {
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

// Of two concurrent starts as root, the one that finds the folder may get the lock before the other has changed its mode.
func TestLockLetsTheAccountPassThroughANewFolderOnly(t *testing.T) {
	t.Parallel()
	added := fs.FileMode(0)
	if os.Geteuid() == 0 {
		added = 0o011
	}
	empty, used := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(used, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]fs.FileMode{empty: 0o700 | added, used: 0o700} {
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		c := cluster{folder: dir}
		folder, err := c.lock()
		if err != nil {
			t.Fatal(err)
		}
		info, err := folder.Stat()
		if err := errors.Join(err, unlock(folder)); err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("the mode of %s is %o, want %o", dir, got, want)
		}
	}
}

// A child that has not become its program yet has all files of its parent open.
func TestLockIsReleasedEvenIfAChildHasItOpen(t *testing.T) {
	t.Parallel()
	c := cluster{folder: t.TempDir()}
	first, err := c.lock()
	if err != nil {
		t.Fatal(err)
	}
	inherited, err := syscall.Dup(int(first.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(inherited) })
	if err := unlock(first); err != nil {
		t.Fatal(err)
	}
	second, err := c.lock()
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(second); err != nil {
		t.Error(err)
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
	eventually(t, "the owner makes the data", func() bool {
		_, err := os.Stat(filepath.Join(dir, "postgresql.new"))
		return err == nil
	})
	attached, err := Attach(deadline(t), optionsOf(t, dir))
	<-starting
	if err != nil {
		t.Fatal(err)
	}
	if attached.stop != nil {
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
