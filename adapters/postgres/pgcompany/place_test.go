package pgcompany

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// moving is what a move calls of Citus. Its first cleanup leaves a table behind. Its move stores the
// settings of the session, and how many tables it finds that were left.
const moving = `
create table seen (checked text, waited text, leftovers bigint);
create schema company_c0000000;
create table company_c0000000.settings (name text);
create table pg_dist_cleanup (object_name text);
insert into pg_dist_cleanup values ('company_c0000000.settings_1'), ('company_c1111111.settings_2');
create table cleanups (called_at timestamptz);
create procedure citus_cleanup_orphaned_resources() language sql as
    'insert into cleanups values (now());
    delete from pg_dist_cleanup where object_name like ''company_c0000000%'' and (select count(*) from cleanups) > 1';
create function citus_schema_move(regnamespace, text, integer) returns void language sql as
    'insert into seen select current_setting(''client_connection_check_interval''), current_setting(''lock_timeout''), count(*)
    from pg_dist_cleanup where object_name like ''company_c0000000%'''`

// PostgreSQL notices that the client of a move was killed only if it checks that while it works.
// Citus fails a move if an earlier one has left tables.
//
// contract 15.9
func TestMoveEndsWithItsClientAndBeginsWithoutLeftovers(t *testing.T) {
	t.Parallel()
	ctx, url := t.Context(), pgtest.EmptyURL(t)
	s, err := NewStore(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if _, err := pgtest.Pool(t, url).Exec(ctx, moving); err != nil {
		t.Fatal(err)
	}
	if _, err := s.move(ctx, company.Code("c0000000"), "10.0.0.1:5432"); err != nil {
		t.Fatal(err)
	}
	var checked, waited string
	var leftovers int
	if err := s.pool.QueryRow(ctx, "select checked, waited, leftovers from seen").Scan(&checked, &waited, &leftovers); err != nil {
		t.Fatal(err)
	}
	if checked != "1s" || waited != "0" {
		t.Errorf("a move checks its client every %s and waits %s for locks, want 1s and 0, which is no limit", checked, waited)
	}
	if leftovers != 0 {
		t.Errorf("the move finds %d tables that an earlier one has left", leftovers)
	}
}

// contract 15.6
func TestCitusMustBeRecentEnough(t *testing.T) {
	t.Parallel()
	for version, says := range map[int]string{0: "", 13: "", 14: "", 12: "has Citus 12", 11: "need 13 or later"} {
		err := suitable(version)
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("Citus %d: %v, want %q", version, err, says)
		}
	}
}
