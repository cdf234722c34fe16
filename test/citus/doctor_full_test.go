//go:build full

package citus_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/doctor"
	"github.com/kontor-crm/kontor/application/rule"
)

// contract 15.8, 15.12
func TestDoctorExaminesWorkers(t *testing.T) {
	c, url, _, _ := serveShared(t)
	none, err := rule.NewRegistry(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	settings := doctor.Settings{
		CitusDirect: true,
		DatabaseURL: url, MaxConnections: 16, TimeZone: "UTC", Rules: none,
		LockTimeout: 5 * time.Second, StatementTimeout: 10 * time.Second, RequestTimeout: 30 * time.Second,
	}
	check := func(when, name string, state doctor.State, found string) {
		t.Helper()
		e, err := doctor.Examine(t.Context(), settings, doctor.Operator)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		for _, f := range e.Findings(t.Context()) {
			if f.Name == name {
				if f.State != state || !strings.Contains(f.Found, found) {
					t.Errorf("%s: %v", when, f)
				}
				return
			}
		}
		t.Errorf("%s, %s are not checked", when, name)
	}
	wants := func(when string, state doctor.State, found string) {
		t.Helper()
		check(when, "workers", state, found)
	}
	wants("at first", doctor.OK, "all 2 are active")
	check("with direct connections to the workers", "connections", doctor.OK, "opens up to 46,")
	settings.CitusDirect = false
	check("through the coordinator", "connections", doctor.OK, "opens up to 39,")
	settings.CitusDirect = true
	port := c.Nodes[1].Port
	execute(t, url, "update pg_dist_node set metadatasynced = false where nodeport = $1", port)
	wants("without metadata", doctor.Warn, addressOf(c, 1))
	execute(t, url, "update pg_dist_node set isactive = false where nodeport = $1", port)
	wants("inactive", doctor.Fail, addressOf(c, 1)+" with bakery")
	execute(t, url, "update pg_dist_node set isactive = true, metadatasynced = true where nodeport = $1", port)
	c.Nodes[1].Kill()
	wants("killed", doctor.Fail, addressOf(c, 1)+" with bakery (")
	if err := c.Nodes[1].Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	wants("restarted", doctor.OK, "all 2 are active")
}
