package citus_test

import (
	"fmt"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/citus"
)

// contract 15.1
func TestMigrationsRunInDistributedSchemas(t *testing.T) {
	c, name := database(t)
	for _, worker := range []int{1, 2} {
		schema := fmt.Sprintf("company_0000000%d", worker)
		if err := citus.PlaceSchema(t.Context(), c.URL(name), c.Nodes[worker].URL(name), schema); err != nil {
			t.Fatal(err)
		}
		url := c.URL(name) + "&search_path=" + schema + ",public"
		if err := postgres.MigrateUp(t.Context(), url); err != nil {
			t.Fatal(err)
		}
		// Migration 6 adds the extension that other schemas use.
		if err := postgres.MigrateDownTo(t.Context(), url, 6); err != nil {
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
    where s.logicalrelid = c.oid and n.nodeport = $1)`, c.Nodes[worker].Port)
		if len(elsewhere) != 0 {
			t.Errorf("tables are not on worker %d: %s", worker, elsewhere)
		}
	}
}
