//go:build full

package citus_test

import (
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/citus"
)

// contract 15.1
func TestMigrationsRunInDistributedSchema(t *testing.T) {
	const schema = "company_00000001"
	c, name := database(t)
	if err := citus.PlaceSchema(t.Context(), c.URL(name), c.Nodes[2].URL(name), schema); err != nil {
		t.Fatal(err)
	}
	url := c.URL(name) + "&search_path=" + schema + ",public"
	if err := postgres.MigrateUp(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	if err := postgres.MigrateDownTo(t.Context(), url, 0); err != nil {
		t.Fatal(err)
	}
	if err := postgres.MigrateUp(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	elsewhere := column[string](t, url, `
select c.relname
from pg_class c
where c.relnamespace = current_schema::regnamespace and c.relkind = 'r' and not exists (
    select
    from pg_dist_shard s
    join pg_dist_placement p using (shardid)
    join pg_dist_node n using (groupid)
    where s.logicalrelid = c.oid and n.nodeport = $1)`, c.Nodes[2].Port)
	if len(elsewhere) != 0 {
		t.Errorf("tables are not on the worker of the schema: %s", elsewhere)
	}
}
