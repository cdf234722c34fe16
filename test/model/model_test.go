package model_test

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/workload"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// company is one whose models are kept.
type company struct{ workload.Company }

// found is a company on a database of its own.
func found(t *testing.T) company {
	t.Helper()
	return company{workload.Found(t)}
}

// issue stores an invoice of so many lines.
func (c company) issue(lines int) invoice.ID {
	c.T.Helper()
	a := fixture.Invoice(c.Office)
	a.Lines = optional.Some(slices.Repeat([]invoice.LineAttributes{fixture.Line("Fracht")}, lines))
	var all []invoice.ID
	fixture.Do(c.T, c.Tx, c.Office.Manager, workload.Adding(&all, workload.Invoices, fixture.Must(invoice.New(c.Office.Manager, a, performer.Terms{}, fixture.At))))
	return all[0]
}

// noted is how many rows writers have noted that are not folded.
const noted = `
select
    (select count(*) from client_changes where batch_id >= oldest_open_batch)
    + (select count(*) from deal_changes where batch_id >= oldest_open_batch)
    + (select count(*) from offer_changes where batch_id >= oldest_open_batch)
    + (select count(*) from contract_changes where batch_id >= oldest_open_batch)
    + (select count(*) from invoice_changes where batch_id >= oldest_open_batch)
from read_model_state`

// held is a transaction that holds the newest batch, as one that has written
// does, until it ends.
func (c company) held() (end func()) {
	c.T.Helper()
	tx, err := c.Pool.Begin(c.T.Context())
	if err != nil {
		c.T.Fatal(err)
	}
	if _, err := tx.Exec(c.T.Context(), "select id from change_batches order by id desc limit 1 for key share", pgx.QueryExecModeSimpleProtocol); err != nil {
		c.T.Fatal(err)
	}
	end = func() { _ = tx.Rollback(context.WithoutCancel(c.T.Context())) }
	c.T.Cleanup(end)
	return end
}
