package pgserver_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/kontor-crm/kontor/test/memfolder"
	"github.com/kontor-crm/kontor/test/pgserver"
)

const prefix = "kontor-pgserver-test-"

func newServer(t *testing.T) *pgserver.Server {
	t.Helper()
	programs, err := pgserver.Programs("bin/initdb")
	if err != nil {
		t.Skip(err)
	}
	folder, err := pgserver.MakeFolder(prefix)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	s, err := pgserver.New(programs, folder, "data", "fsync=off")
	if err == nil {
		err = s.Init()
	}
	if err == nil {
		err = s.Start(t.Context())
	}
	t.Cleanup(s.Kill)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSweepRemovesServersOfEndedProcessesOnly(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	process := exec.Command("true")
	if err := process.Run(); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(memfolder.Parent(), prefix+strconv.Itoa(process.ProcessState.Pid())+"-left")
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	pgserver.Sweep(prefix)
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the folder of an ended process is not removed: %v", err)
	}
	if _, err := os.Stat(s.Folder); err != nil || syscall.Kill(s.PID(), 0) != nil {
		t.Errorf("the server of this process is gone: %v", err)
	}
}
