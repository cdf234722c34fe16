package localpg

import (
	"errors"
	"fmt"
	"os"
	osuser "os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// runsAs is the user of the server on a folder: the owner of its pid file.
func runsAs(t *testing.T, dir string) account {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, "postgresql", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	return ownerOf(info)
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
		t.Errorf("an ordinary user's database runs as %s", user.name())
	}
	if _, err := osuser.Lookup("postgres"); err == nil && os.Geteuid() == 0 && user.name() != "postgres" {
		t.Errorf("root's database runs as %s, want postgres", user.name())
	}
}

// contract 11.7
func TestAccountOfRootIsTheOwnerOfTheData(t *testing.T) {
	needsRoot(t)
	t.Parallel()
	dir := newFolder(t)
	nobody, err := osuser.Lookup("nobody")
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, uid, gid)); err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"on first use", "again"} {
		s := start(t, optionsOf(t, dir))
		if user := runsAs(t, dir); user.name() != "nobody" {
			t.Errorf("%s the database of nobody's folder runs as %s", when, user.name())
		}
		stop(t, s)
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
	want := fmt.Sprintf("does not run as user postgres in %s", dir)
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
