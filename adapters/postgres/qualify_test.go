package postgres

import (
	"strings"
	"testing"
)

// contract 14.4
func TestQualifyPutsTheSchemaBeforeTables(t *testing.T) {
	t.Parallel()
	const s = "company_0a1b2c3d."
	for sql, want := range map[string]string{
		"select id from clients":                                  "select id from " + s + "clients",
		"SELECT c.id FROM clients c LEFT JOIN users u ON true":    "SELECT c.id FROM " + s + "clients c LEFT JOIN " + s + "users u ON true",
		"insert into client_search (id) values ($1)":              "insert into " + s + "client_search (id) values ($1)",
		"update\n\tclients -- the client's row\nset name = $1":    "update\n\t" + s + "clients -- the client's row\nset name = $1",
		"delete from tokens using users where users.id = $1":      "delete from " + s + "tokens using " + s + "users where users.id = $1",
		"with a as (select 1) select * from a":                    "with a as (select 1) select * from a",
		"select deals, r.clients from /* all */ deals r":          "select deals, r.clients from /* all */ " + s + "deals r",
		"select 'from clients', \"from\" from clients for update": "select 'from clients', \"from\" from " + s + "clients for update",
		"select id from clients for update of clients":            "select id from " + s + "clients for update of clients",
		"insert into tokens (id) values (1) on conflict (id) do update set id = excluded.id": "insert into " + s +
			"tokens (id) values (1) on conflict (id) do update set id = excluded.id",
		"select id from clients_of_others": "select id from clients_of_others",
		"commit":                           "commit",
		"select 'not closed":               "select 'not closed",
	} {
		got := Qualify(sql, "0a1b2c3d")
		if got != "/*0a1b2c3d*/ "+want {
			t.Errorf("%s\nis  %s\nnot %s", sql, got, want)
		}
		if unqualified(got) != sql || Qualify(sql, "") != sql {
			t.Errorf("%s is not what it was: %s", sql, unqualified(got))
		}
	}
}

// contract 15.11
func TestStatementOfAWorkerIsTracedAsItWas(t *testing.T) {
	t.Parallel()
	const sql = "insert into clients (id) select id from client_search s where s.clients_1 = 7"
	s := &Shards{names: map[string]string{"clients": "company_0a1b2c3d.clients_102008", "client_search": "company_0a1b2c3d.client_search_102009"}}
	tx := &Tx{of: "0a1b2c3d", shards: s}
	got := tx.text(sql)
	if got != "/*0a1b2c3d*/ insert into company_0a1b2c3d.clients_102008 (id) select id from company_0a1b2c3d.client_search_102009 s where s.clients_1 = 7" {
		t.Errorf("the statement is %s", got)
	}
	if unqualified(got) != sql {
		t.Errorf("it is traced as %s", unqualified(got))
	}
}

func BenchmarkQualify(b *testing.B) {
	sql := strings.Repeat("select r.id, r.name, r.description from clients r left join users u on u.id = r.user_id ", 10)
	for b.Loop() {
		Qualify(sql, "0a1b2c3d")
	}
}
