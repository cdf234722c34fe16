package postgres

import "testing"

func TestShardsReplaceTheTablesOfAStatement(t *testing.T) {
	t.Parallel()
	s := &Shards{
		names: map[string]string{"clients": "company_0a1b2c3d.clients_102008", "users": "company_0a1b2c3d.users_102009"},
		check: "select 0",
	}
	const want = "select * from (select c.name from company_0a1b2c3d.clients_102008 c join company_0a1b2c3d.users_102009 u on true -- all\n) as local offset (select 0)"
	if got, ok := s.qualifyRead("select c.name from clients c join users u on true -- all"); !ok || got != want {
		t.Errorf("the statement is %q, %t", got, ok)
	}
	if got, ok := s.qualifyRead("select name from clients union all select name from deals"); ok {
		t.Errorf("a statement with an unknown table is %q", got)
	}
}
