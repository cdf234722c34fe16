package pgsummary_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestRebuildWhileOthersWriteLosesNothing(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Write(4, 5*time.Millisecond, func(committed func() int64) {
		for rebuilt := 0; rebuilt < 3 || committed() < 100; rebuilt++ {
			c.Execute("update client_totals set record_count = record_count + 1")
			c.Execute("delete from deal_search where id % 3 = 0")
			c.Execute("delete from client_counts where client_id % 2 = 0")
			c.Rebuild()
			if !c.Agrees("after a rebuild") {
				return
			}
			c.Fold()
		}
	})
	c.Agrees("at the end")
}

func TestRebuildYieldsWhatFoldingYields(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(5).Steps(200)
	c.Fold()
	const rows = `
select string_agg(r, e'\n' order by r)
from (
    select 'client_totals ' || t::text as r from client_totals t where record_count <> 0
    union all
    select 'deal_totals ' || t::text from deal_totals t where record_count <> 0
    union all
    select 'invoice_totals ' || t::text from invoice_totals t where record_count <> 0
    union all
    select 'client_counts ' || t::text from client_counts t where deals <> 0 or offers <> 0 or contracts <> 0 or invoices <> 0
) a`
	folded := c.Text(rows)
	c.Rebuild()
	if rebuilt := c.Text(rows); rebuilt != folded || strings.Count(folded, "\n") < 50 {
		t.Errorf("folding yields\n%s\nand rebuilding\n%s", folded, rebuilt)
	}
}

func TestRebuildOfEmptyReadModelsMakesThemReady(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(6).Steps(50)
	c.Execute("update read_model_state set is_ready = false")
	tables := []string{listdef.ClientCounts}
	for _, l := range listdef.All {
		tables = append(tables, l.Search)
		if l.Rollup != nil {
			tables = append(tables, l.Rollup.Table)
		}
	}
	for _, table := range tables {
		c.Execute("delete from " + table)
	}
	c.Rebuild()
	c.Agrees("rebuilt")
	if s, err := pgsummary.ReadState(t.Context(), c.Pool); err != nil || !s.IsReady {
		t.Errorf("the state is %+v, %v; want ready", s, err)
	}
	if n := c.openChanges(); n != 0 {
		t.Errorf("%d changes of before are retained", n)
	}
}

func TestRebuildAndVerifyUseTheZoneOfTheDatabase(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(7).Steps(100)
	other := c
	other.Pool = c.Pool.Pool().Company("", "America/Adak", 0)
	other.Agrees("verified from another zone")
	other.Rebuild()
	c.Agrees("rebuilt from another zone")
}

// contract 4.87
func TestListsShowWhatWasThereWhileTheReadModelsAreRebuilt(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(9).Steps(50)
	c.Fold()
	total := func() int64 { return c.Number("select sum(record_count) from client_totals where user_id = 0") }
	before := total()
	end := c.holdBatch() // so that the rebuild waits for it
	rebuilt := make(chan error)
	go func() { rebuilt <- pgsummary.Rebuild(t.Context(), c.Pool) }()
	c.becomes("waiting statements", func() int64 { return int64(pgtest.LockWaits(t, c.Pool)) }, 1)
	if n := total(); n != before {
		t.Errorf("the totals have %d clients during a rebuild, and had %d", n, before)
	}
	end()
	if err := <-rebuilt; err != nil {
		t.Fatal(err)
	}
	c.Agrees("rebuilt")
}
