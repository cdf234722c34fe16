package model_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
)

// contract 1.55
func TestRebuildingWhileOthersWriteLosesNothing(t *testing.T) {
	t.Parallel()
	c := found(t)
	rebuilt := 0
	written := c.Write(8, 0, func() {
		for end := time.Now().Add(3 * time.Second); rebuilt < 3 || time.Now().Before(end); rebuilt++ {
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
	if written < 100 {
		t.Errorf("%d writes and %d rebuilds are no trial", written, rebuilt)
	}
}

func TestARebuildWaitsForTheWriterOfATextThatIsMissing(t *testing.T) {
	t.Parallel()
	c := found(t)
	c.Execute("delete from client_search")
	writer, err := c.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writer.Rollback(context.WithoutCancel(t.Context())) }()
	for _, sql := range []string{"update clients set name_key = 'renamed' where id = 1", "update client_search set text_key = 'renamed' where id = 1"} {
		if _, err := writer.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	rebuilt := make(chan error)
	go func() { rebuilt <- pgsummary.Rebuild(t.Context(), c.Pool) }()
	select {
	case err := <-rebuilt:
		t.Fatalf("it is through before the writer: %v", err)
	case <-time.After(2 * time.Second):
	}
	if err := writer.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-rebuilt; err != nil {
		t.Fatal(err)
	}
	c.Agrees("when both are through")
}

// contract 1.54, 1.55
func TestWhatIsWrongIsFoundAndMended(t *testing.T) {
	t.Parallel()
	c := found(t)
	c.Writer(3).Steps(150)
	c.Fold()
	c.Writer(4).Steps(30) // not folded
	if !c.Agrees("before anything is wrong") {
		return
	}
	// The harms come in any order: none takes away what another needs.
	for harm, model := range map[string]string{
		"update client_totals set record_count = record_count + 1 where user_id = 0 and type = 1":                                  "client_totals",
		"insert into client_totals (user_id, type, record_count) values (4711, 1, 1)":                                              "client_totals",
		"delete from deal_totals where user_id = 0":                                                                                "deal_totals",
		"update invoice_totals set record_count = record_count - 1 where user_id = 0 and month = 0 and paid_month = -1":            "invoice_totals",
		"update invoice_totals set line_count = line_count + 1 where user_id <> 0 and month = 0 and paid_month > 0":                "invoice_totals",
		"delete from client_counts where invoices > 0":                                                                             "client_counts",
		"update client_counts set deals = deals + 1 where client_id = 1":                                                           "client_counts",
		"update client_counts set offers = offers + 1 where client_id = 1":                                                         "client_counts",
		"update client_counts set contracts = contracts + 1 where client_id = 1":                                                   "client_counts",
		"insert into client_counts (client_id, deals, offers, contracts, invoices) values (4711, 0, 0, 0, 1)":                      "client_counts",
		"update page_index set record_count = record_count + 1 where list = 'clients'":                                             "page_index",
		"update page_index set record_count = record_count + 1 where list = 'contracts'":                                           "page_index",
		"delete from page_index where list = 'invoices'":                                                                           "page_index",
		"update page_index set record_count = record_count - 1 where list = 'invoice_lines'":                                       "page_index",
		"delete from page_index where list = 'invoice_lines'":                                                                      "page_index",
		"update invoice_changes set line_ids = line_ids || 4711::bigint where delta = 1":                                           "page_index",
		"insert into page_index (list, created_at, id, record_count) values ('invoice_lines', '-infinity', 5, 0)":                  "page_index",
		"insert into page_index (list, created_at, id, record_count) values ('deals', now(), 1, 0), ('deals', '2020-01-01', 1, 9)": "page_index",
		"update client_search set text_key = text_key || 'x' where id = 1":                                                         "client_search",
		"delete from deal_search where id = 1":                                                                                     "deal_search",
		"insert into offer_search (id, text_key) values (4711, 'x')":                                                               "offer_search",
		"delete from contract_search":                                                                                              "contract_search",
		"update invoice_search set text_key = 'x'":                                                                                 "invoice_search",
		"update invoices set paid_month = paid_month + 1 where paid_on is not null":                                                "invoices",
		"delete from invoice_changes where delta = -1 and batch_id >= (select oldest_open_batch from read_model_state)":            "invoice_totals",
	} {
		tag, err := c.Pool.Exec(t.Context(), harm)
		if err != nil || tag.RowsAffected() == 0 {
			t.Fatalf("%s: %v, %s", harm, err, tag)
		}
		if found := c.Differences(); !names(found, model) {
			t.Errorf("%s is not found: %v", harm, found)
		}
		c.Rebuild()
		if !c.Agrees("mended after " + harm) {
			return
		}
	}
}

func names(list []pgsummary.Difference, model string) bool {
	for _, d := range list {
		if d.Model == model && d.Key != "" && d.Says != d.Is {
			return true
		}
	}
	return false
}

func TestWhatIsMendedIsTheSameAsWhatIsFolded(t *testing.T) {
	t.Parallel()
	c := found(t)
	c.Writer(5).Steps(200)
	c.Fold()
	const rows = `
select string_agg(r, e'\n' order by r)
from (
    select concat_ws(' ', 'c', user_id, type, record_count) as r from client_totals where record_count <> 0
    union all
    select concat_ws(' ', 'd', user_id, type_id, status_id, record_count) from deal_totals where record_count <> 0
    union all
    select concat_ws(' ', 'i', user_id, paid_month, month, type_id, status, record_count, line_count) from invoice_totals where record_count <> 0
    union all
    select concat_ws(' ', 'n', client_id, deals, offers, contracts, invoices) from client_counts
    where deals <> 0 or offers <> 0 or contracts <> 0 or invoices <> 0
    union all
    select concat_ws(' ', 'm', list, created_at, id, record_count) from page_index
) a`
	folded := c.Text(rows)
	c.Rebuild()
	if rebuilt := c.Text(rows); rebuilt != folded || strings.Count(folded, "\n") < 50 {
		t.Errorf("folding has made\n%s\nand rebuilding\n%s", folded, rebuilt)
	}
}

func TestARebuildMakesTheModelsReady(t *testing.T) {
	t.Parallel()
	c := found(t)
	c.Writer(6).Steps(50)
	c.Execute("update read_model_state set lists_ready = false, search_ready = false")
	for _, table := range []string{"client_totals", "deal_totals", "invoice_totals", "client_counts", "page_index", "client_search", "deal_search", "offer_search", "contract_search", "invoice_search"} {
		c.Execute("delete from " + table)
	}
	c.Rebuild()
	c.Agrees("made of nothing")
	if n := c.Number("select count(*) from read_model_state where lists_ready and search_ready"); n != 1 {
		t.Error("the models are not ready")
	}
	if n := c.Number("select count(*) from read_model_state where oldest_retained_batch < oldest_open_batch"); n != 0 {
		t.Error("what was counted before can still be carried forward")
	}
}

func TestDifferencesBeyondTheFirstHundredAreCounted(t *testing.T) {
	t.Parallel()
	c := found(t)
	c.Execute("insert into offer_search (id, text_key) select 1000 + n, 'x' from generate_series(1, 250) n")
	list := c.Differences()
	if len(list) != 101 || list[100].Key != "and 150 more" || list[0] != (pgsummary.Difference{Model: "offer_search", Key: "id 1001", Says: "x", Is: "nothing"}) {
		t.Errorf("%d differences are listed, from %v to %v", len(list), list[0], list[len(list)-1])
	}
}

func TestARebuildCountsInTheZoneOfTheDatabaseWhateverTheConnectionsIs(t *testing.T) {
	t.Parallel()
	c := found(t)
	c.Writer(7).Steps(100)
	other := c
	other.Pool = zoneless(t, c.URL)
	other.Agrees("seen from another zone")
	other.Rebuild()
	c.Agrees("rebuilt from another zone")
}
