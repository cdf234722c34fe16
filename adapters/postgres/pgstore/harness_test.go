package pgstore_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/memfolder"
	"github.com/kontor-crm/kontor/test/pgserver"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/strict"
	"github.com/kontor-crm/kontor/test/workload"
)

// These are tests of tools that the tests of stores stand on.

func TestUnitOfWorkRunsTwiceAndTheSecondRunCounts(t *testing.T) {
	t.Parallel()
	c := workload.NewCompany(t)
	before := c.Number("select count(*) from clients")
	var ids []client.ID
	fixture.Do(t, strict.Tx{Tx: c.Tx}, c.Office.Manager, func(ctx context.Context, s repository.Stores) error {
		id, err := s.Clients.Add(ctx, fixture.Client(c.Office.Manager, fixture.Company()))
		ids = append(ids, id)
		return err
	})
	if stored := c.Number("select count(*) from clients") - before; len(ids) != 2 || stored != 1 {
		t.Errorf("%d runs have stored %d clients", len(ids), stored)
	}
}

func TestLockOutOfOrderIsAnError(t *testing.T) {
	t.Parallel()
	c := workload.NewCompany(t)
	o := c.Office
	lockClient := func(ctx context.Context, s repository.Stores) error {
		_, err := s.Clients.Lock(ctx, o.Client)
		return err
	}
	lockOther := func(ctx context.Context, s repository.Stores) error {
		_, err := s.Clients.Lock(ctx, o.OtherClient)
		return err
	}
	lockDeal := func(ctx context.Context, s repository.Stores) error {
		_, err := s.Deals.Lock(ctx, o.Deal)
		return err
	}
	lockPerformer := func(ctx context.Context, s repository.Stores) error {
		_, err := s.Performers.Lock(ctx, o.Performer)
		return err
	}
	type steps []func(ctx context.Context, s repository.Stores) error
	for name, of := range map[string]struct {
		steps     steps
		isRefused bool
	}{
		"a client after a deal":               {steps{lockDeal, lockClient}, true},
		"the higher id first":                 {steps{lockOther, lockClient}, true},
		"again what is locked":                {steps{lockClient, lockDeal, lockClient}, false},
		"what has no place in the order last": {steps{lockDeal, lockPerformer}, false},
	} {
		err := strict.Tx{Tx: c.Tx}.Do(t.Context(), repository.Meta{UserID: o.Manager, At: fixture.At}, func(ctx context.Context, s repository.Stores) error {
			for _, step := range of.steps {
				if err := step(ctx, s); err != nil {
					return err
				}
			}
			return nil
		})
		if isRefused := err != nil && strings.Contains(err.Error(), "out of order"); isRefused != of.isRefused || err != nil && !isRefused {
			t.Errorf("%s: it ended with %v", name, err)
		}
	}
}

func TestFixtureIsPreparedOnceAndCopied(t *testing.T) {
	t.Parallel()
	pgtest.SkipOnCitus(t, "a fixture there is no copy")
	prepared := 0
	fixture := pgtest.NewFixture(func(t testing.TB, url string) int {
		t.Helper()
		prepared++
		if _, err := pgtest.Pool(t, url).Exec(t.Context(), "insert into statuses (name, name_key, is_default) values ('new', 'new', true)"); err != nil {
			t.Fatal(err)
		}
		return prepared
	})
	for range 2 {
		url, of := fixture.URL(t)
		if of != 1 {
			t.Errorf("it has been prepared %d times", of)
		}
		var left int
		if err := pgtest.Pool(t, url).QueryRow(t.Context(), "with d as (delete from statuses returning 1) select count(*) from d").Scan(&left); err != nil {
			t.Fatal(err)
		}
		if left != 1 {
			t.Errorf("a copy has %d statuses, want 1", left)
		}
	}
}

const serverPrefix = "kontor-pgserver-test-"

func newServer(t *testing.T) *pgserver.Server {
	t.Helper()
	programs, err := pgserver.Programs("bin/initdb")
	if err != nil {
		t.Skip(err)
	}
	folder, err := pgserver.MakeFolder(serverPrefix)
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
	left := filepath.Join(memfolder.Parent(), serverPrefix+strconv.Itoa(process.ProcessState.Pid())+"-left")
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	pgserver.Sweep(serverPrefix)
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the folder of an ended process is not removed: %v", err)
	}
	if _, err := os.Stat(s.Folder); err != nil || syscall.Kill(s.PID(), 0) != nil {
		t.Errorf("the server of this process is gone: %v", err)
	}
}
