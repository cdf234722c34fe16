package pgsummary_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 1.55
func TestRebuildWhileOthersWriteLosesNothing(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Write(4, 5*time.Millisecond, func(committed func() int64) {
		for rebuilt := 0; rebuilt < 3 || committed() < 100; rebuilt++ {
			c.Execute("update client_totals set record_count = record_count + 1")
			c.Execute("delete from deal_search where id % 3 = 0")
			c.Execute("delete from client_counts where client_id % 2 = 0")
			c.Execute("update page_index set record_count = record_count + 1")
			c.Rebuild()
			if !c.Agrees("after a rebuild") {
				return
			}
			c.Fold()
		}
	})
	c.Agrees("at the end")
}

func TestRebuildWaitsForTheWriterOfAMissingSearchKey(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Execute("delete from client_search")
	commit := c.begin("update clients set name_key = 'renamed' where id = 1", "update client_search set text_key = 'renamed' where id = 1")
	rebuilt := make(chan error)
	go func() { rebuilt <- pgsummary.Rebuild(t.Context(), c.Pool) }()
	select {
	case err := <-rebuilt:
		t.Fatalf("the rebuild ends before the writer: %v", err)
	case <-time.After(2 * time.Second):
	}
	commit()
	if err := <-rebuilt; err != nil {
		t.Fatal(err)
	}
	c.Agrees("when both have ended")
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
    union all
    select 'page_index ' || t::text from page_index t
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
	c.Execute("update read_model_state set lists_ready = false, search_ready = false")
	tables := []string{listdef.ClientCounts, listdef.PageIndex}
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
	if s, err := pgsummary.ReadState(t.Context(), c.Pool); err != nil || !s.ListsReady || !s.SearchReady {
		t.Errorf("the state is %+v, %v; want ready", s, err)
	}
	if n := c.Number("select count(*) from read_model_state where oldest_retained_batch < oldest_open_batch"); n != 0 {
		t.Error("changes of before are retained")
	}
}

func TestRebuildAndVerifyUseTheZoneOfTheDatabase(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(7).Steps(100)
	other := c
	parameter := "?timezone=America/Adak"
	if strings.Contains(c.URL, "?") {
		parameter = "&" + parameter[1:]
	}
	other.Pool = pgtest.Pool(t, c.URL+parameter)
	other.Agrees("verified from another zone")
	other.Rebuild()
	c.Agrees("rebuilt from another zone")
}

func TestRebuildOfSearchDoesNotMarkReadyWhatWasInvalidatedMeanwhile(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(9).Steps(50)
	c.Execute("delete from client_search where id = 1", "insert into client_search (id, text_key) values (1 << 30, 'orphan')")
	commit := c.begin("select from clients where id = 1 for update") // so that the rebuild waits for it
	rebuilt := make(chan error)
	go func() { rebuilt <- pgsummary.Rebuild(t.Context(), c.Pool) }()
	c.becomes("waiting statements", func() int64 {
		return int64(pgtest.LockWaits(t, c.Pool))
	}, 1)
	// The rebuild is past the other tables, perhaps.
	c.Execute(
		"update read_model_state set search_ready = false, invalidations = invalidations + 1", "delete from deal_search", "delete from invoice_search",
	)
	commit()
	if err := <-rebuilt; err != nil {
		t.Fatal(err)
	}
	if n := c.Number("select count(*) from read_model_state where search_ready"); n != 1 {
		t.Error("the search tables are not ready")
	}
	c.Agrees("rebuilt")
}

func TestRebuildIsDoneByOneWorker(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(10).Steps(50)
	c.Execute("update read_model_state set lists_ready = false, search_ready = false", "delete from client_search", "delete from client_totals")
	commit := c.begin("select from read_model_rebuilds for update") // as a process that rebuilds
	var log logged
	for range 4 {
		stop := c.runWorker(&log)
		t.Cleanup(func() { stop() })
	}
	c.Fold()
	c.becomes("open changes", c.openChanges, 0)
	if n := c.Number("select count(*) from read_model_state where lists_ready or search_ready"); n != 0 {
		t.Error("a worker rebuilds what another one does")
	}
	commit()
	c.becomes("ready read models", func() int64 {
		return c.Number("select count(*) from read_model_state where lists_ready and search_ready")
	}, 1)
	c.Agrees("rebuilt")
	if n := strings.Count(log.String(), "read models rebuilt"); n > 2 {
		t.Errorf("%d rebuilds, want one of the lists and one of the texts:\n%s", n, &log)
	}
}

func TestRebuildNeedsOneConnectionOfThePool(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(11).Steps(20)
	config := c.Pool.Config()
	config.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := pgsummary.Rebuild(ctx, pool); err != nil {
		t.Error(err)
	}
	c.Agrees("rebuilt")
}
