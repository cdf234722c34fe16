package pgcompany

import (
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// workers makes a database look like one with Citus and three workers. The last is one to which Citus
// copies no metadata.
const workers = `
insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
select 4242424, 'citus', extowner, extnamespace, false, '13.2-1' from pg_extension limit 1;
create table pg_dist_node (groupid int, nodename text, nodeport int, noderole text default 'primary', isactive bool default true,
    hasmetadata bool default true, metadatasynced bool default true, shouldhaveshards bool default true);
insert into pg_dist_node (groupid, nodename, nodeport) values (0, '10.0.0.1', 5432), (1, '10.0.0.2', 5432), (2, '10.0.0.3', 5432);
insert into pg_dist_node (groupid, nodename, nodeport, hasmetadata, metadatasynced) values (3, '10.0.0.4', 5432, false, false)`

// contract 15.15
func TestTablesAreNotChangedWhileAWorkerLacksMetadata(t *testing.T) {
	t.Parallel()
	ctx, url := t.Context(), pgtest.URL(t)
	s, err := NewStore(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.metadataWait, s.propagation = 10*time.Millisecond, 0
	execute := func(sql string) {
		t.Helper()
		if _, err := s.pool.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	add := func(name, code string) error {
		row := company.Company{Code: company.Code(code), Name: name, State: company.Adding, TimeZone: "UTC", CreatedAt: time.Unix(0, 0)}
		return s.Add(ctx, row, func(h company.Held) error { return h.Create(ctx) })
	}
	rejected := func(operation string, err error) {
		t.Helper()
		if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "metadata with 10.0.0.3:5432:") {
			t.Errorf("%s: %v", operation, err)
		}
	}
	done := func(operation string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", operation, err)
		}
	}
	const lacks, has = "update pg_dist_node set metadatasynced = false where groupid = 2", "update pg_dist_node set metadatasynced = true"
	execute(workers)
	execute(lacks)
	rejected("the first addition", s.Prepare(ctx))
	execute(has)
	done("the first addition", s.Prepare(ctx))
	done("an addition", add("bakery", "c0000000"))
	execute(lacks)
	done("an addition that finds the catalogue", s.Prepare(ctx))
	rejected("an addition", add("cafe", "c0000001"))
	_, err = s.Move(ctx, "bakery", "10.0.0.2:5432")
	rejected("a move", err)
	_, err = s.MigrateDownTo(ctx, 1, Workers, func(Migrated) {})
	rejected("a rollback", err)
	_, err = s.MigrateUp(ctx, Workers, func(Migrated) {})
	done("a migration of companies that lack none", err)
	drop := func(h company.Held) error { return h.Drop(ctx) }
	rejected("a removal", s.Hold(ctx, "bakery", drop))
	if l, err := s.List(ctx); err != nil || len(l.Companies) != 1 || l.Companies[0].State != company.Active {
		t.Errorf("the companies are %+v, %v", l.Companies, err)
	}
	execute("update pg_dist_node set isactive = false where groupid = 2")
	done("an addition while the worker is not active", add("cafe", "c0000001"))
	execute("update pg_dist_node set isactive = true")
	s.metadataWait = time.Minute
	time.AfterFunc(3*metadataPause, func() { _, _ = s.pool.Exec(ctx, has) })
	done("a removal", s.Hold(ctx, "bakery", drop))
}
