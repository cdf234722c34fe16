//go:build full

package citus_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres/pgcompany"
	"github.com/kontor-crm/kontor/test/citus"
	"github.com/kontor-crm/kontor/test/testprogram"
)

// moving are the sessions of a move on the coordinator.
const moving = "select count(*) from pg_stat_activity where state = 'active' and query like 'select citus_schema_move(%'"

// leftovers are what Citus makes on a node for a move.
const leftovers = `
select (select count(*) from pg_dist_cleanup) + (select count(*) from pg_subscription s join pg_database d on d.oid = s.subdbid where d.datname = current_database())
    + (select count(*) from pg_publication) + (select count(*) from pg_replication_slots where database = current_database())`

// contract 15.9
func TestKilledMoveLeavesTheCompanyOnOneWorker(t *testing.T) {
	c, name := database(t)
	offices, store := serve(t, c.URL(name), addCompanies(t, c, c.URL(name), "UTC", "bakery")), storeOf(t, c.URL(name))
	bakery := offices[0]
	program, err := testprogram.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	written := int64(0)
	write := func() {
		t.Helper()
		if status, text := bakery.send(http.MethodPost, "/rest/client", `{"name":"x","type":1}`); status != http.StatusOK {
			t.Errorf("%d %s", status, text)
			return
		}
		written++
	}
	write()
	const subscribed = "select count(*) from pg_subscription where subenabled"
	target := c.Nodes[2].URL(name)
	type condition struct {
		url, sql string
		is       func(int64) bool
	}
	for when, killed := range map[string]struct {
		after []condition
		delay time.Duration
	}{
		"when it begins":        {after: []condition{{c.URL(name), moving, some}}},
		"while it copies":       {after: []condition{{c.URL(name), "select count(*) from pg_dist_cleanup", some}}},
		"when it has copied":    {after: []condition{{target, subscribed, some}}},
		"while it catches up":   {after: []condition{{target, subscribed, some}}, delay: time.Second},
		"about when it is done": {after: []condition{{target, subscribed, some}, {target, subscribed, none}}},
	} {
		t.Run(when, func(t *testing.T) {
			move(t, store, "bakery", addressOf(c, 1))
			process := start(t, program, c.URL(name), "company", "move", "bakery", addressOf(c, 2))
			for _, until := range killed.after {
				process.await(t, until.url, until.sql, until.is)
			}
			time.Sleep(killed.delay)
			process.kill(t)
			await(t, c.URL(name), moving, none)
			write()
			places, err := store.Places(t.Context())
			if err != nil || places[bakery.code].Node != addressOf(c, 1) && places[bakery.code].Node != addressOf(c, 2) {
				t.Errorf("the company is at %v, %v", places, err)
			}
			t.Logf("killed %s, it is at %s", when, places[bakery.code].Node)
			move(t, store, "bakery", addressOf(c, 2))
			write()
			cleanUp(t, c.URL(name))
			for i, n := range c.Nodes[:3] {
				if left := column[int64](t, n.URL(name), leftovers)[0]; left != 0 {
					t.Errorf("%d leftovers on node %d", left, i)
				}
			}
			if stored := column[int64](t, c.URL(name), "select count(*) from "+bakery.code.Schema()+".clients")[0]; stored != written {
				t.Errorf("%d clients were written, and %d are stored", written, stored)
			}
		})
	}
}

func move(t *testing.T, store *pgcompany.Store, name, node string) {
	t.Helper()
	if _, err := store.Move(t.Context(), name, node); err != nil {
		t.Error(err)
	}
}

// contract 15.10
func TestThirdWorkerIsAddedUnderLoad(t *testing.T) {
	c, name := database(t)
	offices, store := serve(t, c.URL(name), addCompanies(t, c, c.URL(name), "UTC", "bakery", "cafe", "dairy")), storeOf(t, c.URL(name))
	ctx, stop := context.WithCancel(t.Context())
	written := make([]int64, len(offices))
	var writers sync.WaitGroup
	for i, o := range offices {
		writers.Go(func() {
			for ctx.Err() == nil {
				status, text := o.send(http.MethodPost, "/rest/client", `{"name":"x","type":1}`)
				switch status {
				case http.StatusOK:
					written[i]++
				case http.StatusServiceUnavailable: // it has waited for too long, and is not stored
				default:
					t.Errorf("%d %s", status, text)
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
	addThird(t, c, name)
	execute(t, c.URL(name), "select citus_rebalance_start()")
	execute(t, c.URL(name), "select citus_rebalance_wait()")
	stop()
	writers.Wait()
	places, err := store.Places(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for i, o := range offices {
		used[places[o.code].Node] = true
		if stored := column[int64](t, c.URL(name), "select count(*) from "+o.code.Schema()+".clients")[0]; stored != written[i] || stored == 0 {
			t.Errorf("%d clients were written to company %d, and %d are stored", written[i], i, stored)
		}
		if status, text := o.send(http.MethodPost, "/rest/client", `{"name":"x","type":1}`); status != http.StatusOK {
			t.Errorf("%d %s", status, text)
		}
	}
	if len(used) != 3 {
		t.Errorf("the companies are at %v", places)
	}
}

// addThird starts a third worker and adds it to the database.
func addThird(t *testing.T, c *citus.Cluster, name string) {
	t.Helper()
	n, err := c.AddWorker(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The files of the node are a copy of the coordinator's.
	execute(t, n.URL("postgres"), "drop database "+name+" with (force)")
	execute(t, n.URL("postgres"), "create database "+name)
	t.Cleanup(func() { execute(t, n.URL("postgres"), "drop database "+name+" with (force)") })
	execute(t, n.URL(name), "create extension citus")
	execute(t, c.URL(name), fmt.Sprintf("select citus_add_node('%s', %d)", citus.Host, n.Port))
}
