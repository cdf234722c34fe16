package command_test

import (
	"context"
	"testing"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/test/fixture"
)

// seen is a rule that remembers how many lines and totals it was last asked about.
type seen struct{ before, after, total int }

func (s *seen) Name() string { return "seen" }

func (s *seen) Check(_ context.Context, c rule.Change[invoice.State]) error {
	*s = seen{}
	if c.Before != nil {
		s.before, s.total = len(c.Before.Lines), c.Before.TotalCount
	}
	if c.After != nil {
		s.after = len(c.After.Lines)
	}
	return nil
}

// contract 10.105
func TestInvoiceWritesLoadOnlyTheLinesThatTheyConcern(t *testing.T) {
	t.Parallel()
	o := open(t)
	last := &seen{}
	o.invoices = command.NewInvoices(o.store, o.clock, registry(t, rule.Invoices.Rules(last)), o.deals)
	id := issue(o, fixture.Invoice(o.Office))
	lines := o.invoice(id).Lines
	kept := domain.Some([]invoice.LineAttributes{{ID: domain.Some(lines[0].ID)}})
	renamed := invoice.LineAttributes{Name: domain.Some("x")}
	for _, c := range []struct {
		name  string
		write func() error
		want  seen
	}{
		{"a notice", func() error {
			return o.invoices.Update(t.Context(), o.manager(), id, invoice.Attributes{Notice: domain.Some("x")})
		}, seen{0, 0, 2}},
		{"a new line", func() error {
			_, err := o.invoices.AddLine(t.Context(), o.manager(), id, fixture.Line("x"))
			return err
		}, seen{0, 1, 2}},
		{"a changed line", func() error { return o.invoices.ChangeLine(t.Context(), o.manager(), lines[0].ID, renamed) }, seen{1, 1, 3}},
		{"a removed line", func() error { return o.invoices.RemoveLine(t.Context(), o.manager(), lines[1].ID) }, seen{1, 0, 3}},
		{"replaced lines", func() error {
			return o.invoices.Update(t.Context(), o.manager(), id, invoice.Attributes{Lines: kept})
		}, seen{2, 1, 2}},
		{"a deletion", func() error { return o.invoices.Delete(t.Context(), o.manager(), id) }, seen{0, 0, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			succeed(t, c.write())
			if *last != c.want {
				t.Errorf("the rule sees %d lines before and %d after of %d, want %+v", last.before, last.after, last.total, c.want)
			}
		})
	}
}
