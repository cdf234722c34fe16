package pgtenant_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// forget deletes the row of a company, as if its schema had been restored alone.
func (d database) forget(c tenant.Tenant) {
	d.t.Helper()
	if _, err := d.pool.Exec(d.t.Context(), "delete from kontor_shared.companies where code = $1", c.Code); err != nil {
		d.t.Fatal(err)
	}
}

// contract 14.3
func TestAdoptedCompanyHasTheZoneAndMigrationOfItsTables(t *testing.T) {
	t.Parallel()
	d := open(t)
	bakery := d.add("bakery")
	d.forget(bakery)
	before, err := d.store.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	adopted, err := d.Adopt(t.Context(), "mill", bakery.Code)
	if err != nil {
		t.Fatal(err)
	}
	want := bakery
	want.Name = "mill"
	found, err := d.Find(t.Context(), "mill")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, found); diff != "" || adopted.Migration != bakery.Migration {
		t.Errorf("adopted is %+v (-want +found):\n%s", adopted, diff)
	}
	if after, err := d.store.Version(t.Context()); err != nil || after == before {
		t.Errorf("the version of the catalogue is still %d: %v", after, err)
	}
}

// contract 14.3
func TestAdoptRejectsWhatIsNotACompanyOrIsOne(t *testing.T) {
	t.Parallel()
	d := open(t)
	bakery, mill := d.add("bakery"), d.add("mill")
	_, err := d.Adopt(t.Context(), "copy", bakery.Code)
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("a code that is taken: %v", err)
	}
	d.forget(mill)
	if _, err = d.Adopt(t.Context(), "bakery", mill.Code); !errors.Is(err, tenant.ErrTaken) {
		t.Errorf("a name that is taken: %v", err)
	}
	if _, err = d.Adopt(t.Context(), "copy", "01234567"); !fault.Is(err, fault.NotFound) {
		t.Errorf("without tables: %v", err)
	}
	if _, err := d.in(mill).Exec(t.Context(), "insert into schema_migrations (version_id, is_applied) values (99999, true)"); err != nil {
		t.Fatal(err)
	}
	if _, err = d.Adopt(t.Context(), "copy", mill.Code); !fault.Is(err, fault.Conflict) {
		t.Errorf("of a newer version: %v", err)
	}
	if d.state("copy") != "" {
		t.Error("the company is in the catalogue")
	}
}

// contract 1.95
func TestAdoptRejectsTablesOfAnEditedMigration(t *testing.T) {
	t.Parallel()
	d := open(t)
	mill := d.add("mill")
	d.forget(mill)
	if _, err := d.in(mill).Exec(t.Context(), "update migration_checksums set sha256 = repeat('0', 64)"); err != nil {
		t.Fatal(err)
	}
	_, err := d.Adopt(t.Context(), "mill", mill.Code)
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "the migration 00001_baseline.sql is not the one") || d.state("mill") != "" {
		t.Errorf("adopted: %v", err)
	}
}
