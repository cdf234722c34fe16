package pgcompany

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// moving is what a move calls of Citus. Its move stores the settings of the session.
const moving = `
create table seen (checked text, waited text);
create schema company_c0000000;
create table company_c0000000.settings (name text);
create procedure citus_cleanup_orphaned_resources() language sql as 'select';
create function citus_schema_move(regnamespace, text, integer) returns void language sql as
    'insert into seen select current_setting(''client_connection_check_interval''), current_setting(''lock_timeout'')'`

// PostgreSQL notices that the client of a move was killed only if it checks that while it works.
//
// contract 15.9
func TestMoveEndsWithItsClient(t *testing.T) {
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
	if err := s.pool.QueryRow(ctx, "select checked, waited from seen").Scan(&checked, &waited); err != nil {
		t.Fatal(err)
	}
	if checked != "1s" || waited != "0" {
		t.Errorf("a move checks its client every %s and waits %s for locks, want 1s and 0, which is no limit", checked, waited)
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
