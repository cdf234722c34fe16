package localpg

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// runsAs is the user of the server on a folder: the owner of its pid file.
func runsAs(t *testing.T, dir string) account {
	t.Helper()
	user, ok := ownerOf(filepath.Join(dir, "postgresql", "postmaster.pid"))
	if !ok {
		t.Fatal("no server runs on " + dir)
	}
	return user
}

// contract 11.7
func TestAccountIsNeverRoot(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	start(t, optionsOf(t, dir))
	user := runsAs(t, dir)
	if user.uid == 0 {
		t.Error("the database runs as root")
	}
	if euid := os.Geteuid(); euid != 0 && user.uid != euid {
		t.Errorf("an ordinary user's database runs as %s", user.name)
	}
	if _, err := lookUp("postgres"); err == nil && os.Geteuid() == 0 && user.name != "postgres" {
		t.Errorf("root's database runs as %s, want postgres", user.name)
	}
}

// contract 11.7
func TestAccountOfRootIsTheOwnerOfTheData(t *testing.T) {
	needsRoot(t)
	t.Parallel()
	dir := newFolder(t)
	nobody, err := lookUp("nobody")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, nobody.uid, nobody.gid); err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"on first use", "again"} {
		s := start(t, optionsOf(t, dir))
		if user := runsAs(t, dir); user.name != "nobody" {
			t.Errorf("%s the database of nobody's folder runs as %s", when, user.name)
		}
		stop(t, s)
	}
	if lock, _ := ownerOf(filepath.Join(dir, "lock")); lock.name != "nobody" {
		t.Errorf("the lock belongs to %s, which keeps the folder's owner out", lock.name)
	}
}

// contract 11.7: a backup that root restored belongs to root
func TestAccountGetsDataThatBelongToRoot(t *testing.T) {
	needsRoot(t)
	t.Parallel()
	dir := usedFolder(t)
	s := start(t, optionsOf(t, dir))
	do(t, s, "create table marks as select 42 as answer")
	stop(t, s)
	err := filepath.WalkDir(filepath.Join(dir, "postgresql"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, 0, 0)
	})
	if err != nil {
		t.Fatal(err)
	}
	s = start(t, optionsOf(t, dir))
	if got := mustAsk[int](t, s, "select answer from marks"); got != 42 {
		t.Errorf("the table holds %d, want 42", got)
	}
}

func TestAccountErrorNamesAnInaccessibleFolder(t *testing.T) {
	needsRoot(t)
	t.Parallel()
	dir := newFolder(t)
	closed := filepath.Dir(dir)
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Start(deadline(t), optionsOf(t, dir))
	want := fmt.Sprintf("may not enter %s on the way to %s", closed, dir)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the start gives %v, want %q", err, want)
	}
}

func TestSocketFolderThatIsNotPrivateIsRejected(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	socket := filepath.Join(dir, "socket")
	if err := os.MkdirAll(socket, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Start(deadline(t), optionsOf(t, dir))
	if err == nil || !strings.Contains(err.Error(), socket) {
		t.Errorf("the start gives %v, want that it names %s", err, socket)
	}
}

// needsRoot leaves out what only root can do: hand over to another user.
func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can hand over to another user")
	}
}
