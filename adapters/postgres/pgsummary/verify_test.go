package pgsummary_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
)

func TestVerifyFindsEveryCorruptionAndRebuildCorrectsIt(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(3).Steps(80)
	c.Fold()
	c.Writer(4).Steps(30) // not folded
	if !c.Agrees("before anything is wrong") {
		return
	}
	check := func(corruptions map[string]string) {
		t.Helper()
		for _, corruption := range corruptions {
			if tag, err := c.Pool.Exec(t.Context(), corruption); err != nil || tag.RowsAffected() == 0 {
				t.Fatalf("%s: %v, %s", corruption, err, tag)
			}
		}
		found := c.Differences()
		for model, corruption := range corruptions {
			if !slices.ContainsFunc(found, func(d pgsummary.Difference) bool { return d.Model == model && d.Key != "" && d.Stored != d.Expected }) {
				t.Errorf("%s is not found: %v", corruption, found)
			}
		}
		c.Rebuild()
		if !c.Agrees(fmt.Sprintf("rebuilt after %v", corruptions)) {
			t.FailNow()
		}
	}
	// These corrupt more than the table of the model.
	check(map[string]string{"invoice_totals": "delete from invoice_changes where delta = -1 and batch_id >= (select oldest_open_batch from read_model_state)"})
	c.Writer(5).Steps(30)
	check(map[string]string{"invoice_totals": "update invoice_changes set line_count = line_count + 1 where delta = 1"})
	check(map[string]string{"invoices": "update invoices set paid_month = paid_month + 1 where paid_on is not null"})
	// Of these, one of each model at once.
	own := map[string][]string{
		"client_totals": {
			"update client_totals set record_count = record_count + 1 where user_id = 0 and type = 1",
			"insert into client_totals (user_id, type, record_count) values (4711, 1, 1)",
		},
		"deal_totals": {"delete from deal_totals where user_id = 0"},
		"invoice_totals": {
			"update invoice_totals set record_count = record_count - 1 where user_id = 0 and month = 0 and paid_month = -1",
			"update invoice_totals set line_count = line_count + 1 where user_id <> 0 and month = 0 and paid_month > 0",
		},
		"client_counts": {
			"delete from client_counts where invoices > 0",
			"update client_counts set offers = offers + 1 where client_id = 0",
			"update client_counts set deals = deals + 1 where client_id = 1",
			"update client_counts set offers = offers + 1 where client_id = 1",
			"update client_counts set contracts = contracts + 1 where client_id = 1",
			"insert into client_counts (client_id, deals, offers, contracts, invoices) values (4711, 0, 0, 0, 1)",
		},
		"client_search":   {"update client_search set text_key = text_key || 'x' where id = 1"},
		"deal_search":     {"delete from deal_search where id = 1", "update deal_search set created_at = now() where id = 1"},
		"offer_search":    {"insert into offer_search (id, created_at, text_key) values (4711, now(), 'x')"},
		"contract_search": {"delete from contract_search"},
		"invoice_search":  {"update invoice_search set text_key = 'x'"},
	}
	for len(own) > 0 {
		next := map[string]string{}
		for model, corruptions := range own {
			next[model] = corruptions[0]
			if own[model] = corruptions[1:]; len(corruptions) == 1 {
				delete(own, model)
			}
		}
		check(next)
	}
}

func TestVerifyListsAHundredDifferencesOfAReadModelAndCountsTheRest(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Execute("insert into offer_search (id, created_at, text_key) select 1000 + n, '2024-01-02', 'x' from generate_series(1, 250) n")
	list := c.Differences()
	if len(list) != 101 || list[100].Key != "and 150 more" || list[0].Key != "id 1001" || list[0].Expected != "nothing" {
		t.Errorf("%d differences are listed, from %v to %v", len(list), list[0], list[len(list)-1])
	}
}
