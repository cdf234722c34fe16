package pgtenant_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgtenant"
	"github.com/kontor-crm/kontor/ports/tenant"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func ignore(pgtenant.Migrated) {}

var withThree = pgtest.NewFixture(func(t testing.TB, url string) []tenant.Tenant {
	t.Helper()
	d := at(t, url)
	for _, name := range []string{"a", "b", "c"} {
		d.add(name)
	}
	if m, err := d.store.MigrateDownTo(t.Context(), postgres.Version-1, 2, ignore); err != nil || m.Done != 3 {
		t.Fatalf("%+v, %v", m, err)
	}
	all, err := d.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Migration != postgres.Version-1 {
			t.Fatalf("%+v was not rolled back", c)
		}
	}
	return all
})

// three are companies that lack the newest migration.
func three(t *testing.T) (database, []tenant.Tenant) {
	t.Helper()
	url, all := withThree.URL(t)
	return at(t, url), all
}

// areMigrated reports companies without the newest migration, in their schema or the catalogue.
func (d database) areMigrated() {
	d.t.Helper()
	all, err := d.List(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	for _, c := range all {
		newest := column[int64](d.t, d.in(c), "select max(version_id) from schema_migrations")[0]
		if c.Migration != postgres.Version || newest != postgres.Version {
			d.t.Errorf("%s has migration %d, and the catalogue says %d", c.Name, newest, c.Migration)
		}
	}
}

// contract 14.20
func TestMigrateUpMigratesAllCompanies(t *testing.T) {
	t.Parallel()
	d, _ := three(t)
	var shown []pgtenant.Migrated
	m, err := d.store.MigrateUp(t.Context(), pgtenant.Workers, func(m pgtenant.Migrated) { shown = append(shown, m) })
	if err != nil || m.All != 3 || m.Done != 3 || len(m.Failed) > 0 {
		t.Errorf("%+v, %v", m, err)
	}
	if len(shown) != 3 || shown[0].Done != 1 || shown[2].Done != 3 || shown[0].All != 3 {
		t.Errorf("shown are %+v", shown)
	}
	d.areMigrated()
	if m, err := d.store.MigrateUp(t.Context(), pgtenant.Workers, ignore); err != nil || m.All != 0 {
		t.Errorf("again: %+v, %v", m, err)
	}
}

// contract 14.20
func TestMigrateUpNamesAFailingCompanyAndMigratesTheOthers(t *testing.T) {
	t.Parallel()
	d, all := three(t)
	pool := d.in(all[1])
	if _, err := pool.Exec(t.Context(), fmt.Sprintf("alter table schema_migrations add constraint old check (version_id < %d)", postgres.Version)); err != nil {
		t.Fatal(err)
	}
	m, err := d.store.MigrateUp(t.Context(), pgtenant.Workers, ignore)
	if err != nil || m.All != 3 || m.Done != 2 || len(m.Failed) != 1 || m.Failed[0].Name != "b" || !strings.Contains(m.Failed[0].Err.Error(), `"old"`) {
		t.Errorf("%+v, %v", m, err)
	}
	if found, err := d.Find(t.Context(), "b"); err != nil || found.Migration != postgres.Version-1 {
		t.Errorf("the failing one is %+v, %v", found, err)
	}
	if _, err := pool.Exec(t.Context(), "alter table schema_migrations drop constraint old"); err != nil {
		t.Fatal(err)
	}
	if m, err := d.store.MigrateUp(t.Context(), pgtenant.Workers, ignore); err != nil || m.All != 1 || m.Done != 1 {
		t.Errorf("corrected: %+v, %v", m, err)
	}
	d.areMigrated()
}

// contract 14.20
func TestMigrateUpInterruptedIsFinishedByTheNextCall(t *testing.T) {
	t.Parallel()
	d, _ := three(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m, err := d.store.MigrateUp(ctx, 1, func(pgtenant.Migrated) { cancel() })
	if err == nil || m.Done == 0 || m.Done == 3 {
		t.Errorf("%+v, %v", m, err)
	}
	rest, err := d.store.MigrateUp(t.Context(), 1, ignore)
	if err != nil || rest.Done != 3-m.Done {
		t.Errorf("the rest: %+v, %v", rest, err)
	}
	d.areMigrated()
}

// contract 14.20
func TestMigrateUpInTwoProcessesSharesTheWork(t *testing.T) {
	t.Parallel()
	d, _ := three(t)
	other := at(t, d.url)
	var group sync.WaitGroup
	for _, p := range []database{d, other} {
		group.Go(func() {
			if m, err := p.store.MigrateUp(t.Context(), 2, ignore); err != nil || len(m.Failed) > 0 {
				t.Errorf("%+v, %v", m, err)
			}
		})
	}
	group.Wait()
	d.areMigrated()
}

// contract 14.20
func TestMigrateUpPassesOverACompanyThatAnotherProcessHolds(t *testing.T) {
	t.Parallel()
	d, all := three(t)
	other := at(t, d.url)
	err := other.store.Hold(t.Context(), "a", func(tenant.Held) error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		m, _ := d.store.MigrateUp(ctx, 1, func(m pgtenant.Migrated) {
			if m.Done == 2 { // before it waits for the first one
				cancel()
			}
		})
		if m.Done != 2 {
			t.Errorf("%+v", m)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := d.Find(t.Context(), "a"); err != nil || found != all[0] {
		t.Errorf("%+v, %v", found, err)
	}
}

// contract 14.22
func TestMigrateDownInterruptedIsFinishedByTheNextCall(t *testing.T) {
	t.Parallel()
	d, _ := three(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := d.store.MigrateDownTo(ctx, postgres.Version-1, 1, func(pgtenant.Migrated) { cancel() }); err == nil {
		t.Error("it was not interrupted")
	}
	if m, err := d.store.MigrateDownTo(t.Context(), postgres.Version-1, 2, ignore); err != nil || len(m.Failed) > 0 {
		t.Errorf("%+v, %v", m, err)
	}
	all, err := d.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if newest := column[int64](t, d.in(c), "select max(version_id) from schema_migrations")[0]; newest != postgres.Version-1 || c.Migration != postgres.Version-1 {
			t.Errorf("%s has migration %d, and the catalogue says %d", c.Name, newest, c.Migration)
		}
	}
	if m, err := d.store.MigrateUp(t.Context(), 2, ignore); err != nil || m.Done != 3 {
		t.Errorf("upwards: %+v, %v", m, err)
	}
	d.areMigrated()
}
