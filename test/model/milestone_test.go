package model_test

import (
	"context"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/workload"
)

func TestPiecesOfAListThatHaveGrownAreSplit(t *testing.T) {
	t.Parallel()
	c := found(t)
	addClients := func(n int, at time.Time) {
		fixture.Do(t, c.Tx, c.Office.Manager, func(ctx context.Context, s repository.Stores) error {
			for i := range n {
				cl := fixture.Must(client.New(c.Office.Manager, fixture.Company(), at.Add(time.Duration(i)*time.Second)))
				if _, err := s.Clients.Add(ctx, cl); err != nil {
					return err
				}
			}
			return nil
		})
	}
	pieces := func() (n int64) { return c.Number("select count(*) from page_index where list = 'clients'") }
	addClients(8000, fixture.At)
	c.Fold()
	if n := pieces(); n != 1 {
		t.Errorf("8002 clients lie in %d pieces, want 1", n)
	}
	// Some that the fold does not see yet fall before the place of the cut, and
	// some behind it.
	addClients(200, fixture.At)
	c.Fold()
	c.Agrees("after the first cut")
	if n := pieces(); n != 2 {
		t.Errorf("8202 clients lie in %d pieces, want 2", n)
	}
	addClients(13000, fixture.At.Add(100*time.Second))
	c.Fold()
	c.Agrees("after several cuts at once")
	if n := c.Number("select max(record_count) from page_index where list = 'clients'"); n > 8192 {
		t.Errorf("a piece has %d clients", n)
	}
	c.Rebuild()
	if n := pieces(); n != 6 {
		t.Errorf("21202 clients lie in %d pieces when they are cut anew, want 6", n)
	}
	c.Agrees("cut anew")
}

func TestPiecesOfTheLinesOfInvoicesAreSplitByTheirIDs(t *testing.T) {
	t.Parallel()
	c := found(t)
	pieces := func() int64 { return c.Number("select count(*) from page_index where list = 'invoice_lines'") }
	inv := c.issue(8000)
	c.Fold()
	if n := pieces(); n != 1 {
		t.Errorf("8000 lines lie in %d pieces, want 1", n)
	}
	c.issue(5000)
	c.Fold()
	c.Agrees("after two cuts")
	if n := pieces(); n != 3 {
		t.Errorf("13000 lines lie in %d pieces, want 3", n)
	}
	places := "select string_agg(id || ': ' || record_count, ', ' order by id) from page_index where list = 'invoice_lines' and created_at = '-infinity'"
	if got, want := c.Text(places), "0: 4096, 4097: 4096, 8193: 4808"; got != want {
		t.Errorf("the pieces are %s, want %s", got, want)
	}
	// Each second of the first lines goes, and as many new ones come.
	fixture.Do(t, c.Tx, c.Office.Manager, workload.Changing(inv, workload.Invoices, func(i *invoice.Invoice) error {
		var kept []invoice.LineAttributes
		for n, l := range i.State().Lines {
			if n%2 == 0 {
				kept = append(kept, invoice.LineAttributes{ID: optional.Some(l.ID)})
			} else {
				kept = append(kept, fixture.Line("Fracht"))
			}
		}
		return i.Update(invoice.Attributes{Lines: optional.Some(kept)}, performer.Terms{}, fixture.At)
	}))
	c.Agrees("before the lines are folded")
	c.Fold()
	c.Agrees("after one has come for each that went")
	if got, want := c.Text(places), "0: 2048, 4097: 2144, 8193: 4096, 12289: 4712"; got != want {
		t.Errorf("the pieces are %s, want %s", got, want)
	}
	fixture.Do(t, c.Tx, c.Office.Manager, workload.Removing(inv, workload.Invoices))
	c.Fold()
	c.Agrees("without the first invoice")
	c.Rebuild()
	if got, want := c.Text(places), "0: 4096, 12097: 904"; got != want {
		t.Errorf("the pieces are %s when they are cut anew, want %s", got, want)
	}
}

func TestACutOfLinesCountsWhatIsNotFoldedYet(t *testing.T) {
	t.Parallel()
	c := found(t)
	early := c.issue(100)
	c.issue(8200)
	c.Execute("insert into change_batches default values") // as when a fold is stopped there
	fixture.Do(t, c.Tx, c.Office.Manager, workload.Removing(early, workload.Invoices))
	end := c.held() // so that this stays unfolded
	c.Fold()
	if got, want := c.Text("select string_agg(id || ': ' || record_count, ', ' order by id) from page_index where list = 'invoice_lines'"), "0: 4196, 4197: 4104"; got != want {
		t.Errorf("the pieces are %s, want %s", got, want)
	}
	c.Agrees("after a cut behind lines whose removal is not folded")
	end()
	c.Fold()
	c.Agrees("when it is folded")
}

func TestACutCountsWhatIsNotFoldedYet(t *testing.T) {
	t.Parallel()
	c := found(t)
	fixture.Do(t, c.Tx, c.Office.Manager, func(ctx context.Context, s repository.Stores) error {
		for range 8200 {
			if _, err := s.Clients.Add(ctx, fixture.Client(c.Office.Manager, fixture.Company())); err != nil {
				return err
			}
		}
		return nil
	})
	// The fold of these is stopped behind the opening of the next batch, as when
	// the process is killed there; by the time it goes on, more is written.
	c.Execute("insert into change_batches default values")
	early := fixture.Must(client.New(c.Office.Manager, fixture.Company(), fixture.At.Add(-time.Hour)))
	fixture.Do(t, c.Tx, c.Office.Manager, func(ctx context.Context, s repository.Stores) error {
		_, err := s.Clients.Add(ctx, early)
		return err
	})
	end := c.held() // so that the early one stays unfolded
	c.Fold()
	if n := c.Number(noted); n != 1 {
		t.Fatalf("%d rows are not folded, want 1", n)
	}
	if n := c.Number("select count(*) from page_index where list = 'clients'"); n != 2 {
		t.Errorf("the list has %d pieces, want 2", n)
	}
	c.Agrees("after a cut behind a record that is not folded")
	end()
	c.Fold()
	c.Agrees("when it is folded")
}
