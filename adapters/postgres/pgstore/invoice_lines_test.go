package pgstore_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/workload"
)

// withLines is an invoice with lines of these names.
func withLines(o fixture.Office, names ...string) *invoice.Invoice {
	a := fixture.Invoice(o)
	a.Lines = linesOf(names...)
	return newInvoice(o, a)
}

func linesOf(names ...string) domain.Optional[[]invoice.LineAttributes] {
	var lines []invoice.LineAttributes
	for _, name := range names {
		lines = append(lines, fixture.Line(name))
	}
	return domain.Some(lines)
}

// issued stores the invoice and gives it as it then is.
func (s store) issued(o fixture.Office, inv *invoice.Invoice) invoice.State {
	s.t.Helper()
	var id invoice.ID
	s.doAs(o.Manager, func(ctx context.Context, st repository.Stores) (err error) {
		id, err = st.Invoices.Add(ctx, inv)
		return err
	})
	return s.invoice(id)
}

// invoice is the stored invoice.
func (s store) invoice(id invoice.ID) (state invoice.State) {
	s.t.Helper()
	s.do(func(ctx context.Context, st repository.Stores) error {
		inv, err := st.Invoices.Lock(ctx, id)
		if err == nil {
			state = inv.State()
		}
		return err
	})
	return state
}

// edit changes a stored invoice and gives the ids that Save does.
func (s store) edit(o fixture.Office, id invoice.ID, change func(inv *invoice.Invoice) error) (added []invoice.LineID) {
	s.t.Helper()
	s.doAs(o.Manager, func(ctx context.Context, st repository.Stores) error {
		inv, err := st.Invoices.Lock(ctx, id)
		if err == nil {
			err = change(inv)
		}
		if err == nil {
			added, err = st.Invoices.Save(ctx, inv)
		}
		return err
	})
	return added
}

func TestLinesGetAscendingIDsInTheirOrder(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		var names []string
		for i := range 300 {
			names = append(names, fmt.Sprintf("line %d", (i*7919)%300))
		}
		half := len(names) / 2
		inv := s.issued(o, withLines(o, names[:half]...))
		added := s.edit(o, inv.ID, func(inv *invoice.Invoice) error {
			var sent []invoice.LineAttributes
			for _, l := range inv.State().Lines {
				sent = append(sent, invoice.LineAttributes{ID: domain.Some(l.ID)})
			}
			sent = append(sent, linesOf(names[half:]...).Or(nil)...)
			return inv.Update(invoice.Attributes{Lines: domain.Some(sent)}, inv.State().Terms, later)
		})

		var gotNames []string
		var ids []invoice.LineID
		for _, l := range s.invoice(inv.ID).Lines {
			gotNames = append(gotNames, l.Name)
			ids = append(ids, l.ID)
		}
		if diff := cmp.Diff(names, gotNames); diff != "" {
			s.t.Errorf("the lines' order: -want +got\n%s", diff)
		}
		if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
			s.t.Errorf("the lines' ids do not ascend: %v", ids)
		}
		if diff := cmp.Diff(ids[half:], added); diff != "" {
			s.t.Errorf("the ids that Save gave for the new lines: -want +got\n%s", diff)
		}
	})
}

func TestLinesAreStoredOnlyIfTheyDiffer(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		inv := s.issued(o, withLines(o, "stays", "goes", "changes"))
		stays, goes, changes := inv.Lines[0].ID, inv.Lines[1].ID, inv.Lines[2].ID
		added := s.edit(o, inv.ID, func(inv *invoice.Invoice) error {
			if err := inv.RemoveLine(goes, inv.State().Terms, later); err != nil {
				return err
			}
			change := invoice.LineAttributes{
				Name: domain.Some("changed"), Units: domain.Some(""),
				Count: domain.Some(fixture.Quantity("0.000001")), Price: domain.Some(fixture.Amount("-999999999999.9999")),
			}
			if err := inv.ChangeLine(changes, change, inv.State().Terms, later); err != nil {
				return err
			}
			return inv.AddLine(fixture.Line("comes"), inv.State().Terms, later)
		})

		got := s.invoice(inv.ID)
		if len(added) != 1 || got.TotalCount != 3 || got.Version != inv.Version+1 {
			s.t.Fatalf("got %d new ids, %d lines and the version %d, want 1, 3 and %d", len(added), got.TotalCount, got.Version, inv.Version+1)
		}
		comes := inv.Lines[0]
		comes.ID, comes.Name = added[0], "comes"
		changed := invoice.Line{
			ID: changes, Version: 2, Name: "changed",
			Count: fixture.Quantity("0.000001"), Price: fixture.Amount("-999999999999.9999"), Total: fixture.Amount("-1000000.0000"),
		}
		want := []invoice.Line{inv.Lines[0], changed, comes}
		if diff := cmp.Diff(want, got.Lines); diff != "" {
			s.t.Errorf("-want +got\n%s", diff)
		}
		for id, of := range map[invoice.LineID]invoice.ID{stays: inv.ID, goes: 0, changes: inv.ID, comes.ID: inv.ID} {
			s.expectLine(id, of)
		}
	})
}

func TestLockByLineFindsTheInvoice(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		first := s.issued(o, withLines(o, "a", "b"))
		second := s.issued(o, withLines(o, "c"))
		s.expectLine(first.Lines[1].ID, first.ID)
		s.expectLine(second.Lines[0].ID, second.ID)
		s.doAs(o.Manager, workload.Removing(first.ID, workload.Invoices))
		s.expectLine(first.Lines[1].ID, 0)
		s.expectLine(second.Lines[0].ID, second.ID)
	})
}

// expectLine looks an invoice up by a line; it is to be the invoice of that id,
// or none for zero.
func (s store) expectLine(id invoice.LineID, of invoice.ID) {
	s.t.Helper()
	if of == 0 {
		s.rejects(0, fault.NotFound, func(ctx context.Context, st repository.Stores) error {
			return second(st.Invoices.LockByLine(ctx, id))
		})
		return
	}
	s.do(func(ctx context.Context, st repository.Stores) error {
		inv, err := st.Invoices.LockByLine(ctx, id)
		if err == nil && inv.State().ID != of {
			s.t.Errorf("the line %d belongs to the invoice %d, want %d", id, inv.State().ID, of)
		}
		return err
	})
}

func TestInvoiceSaveWithoutAChangeStoresNothing(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		before := s.issued(o, withLines(o, "a", "b"))
		added := s.edit(o, before.ID, func(inv *invoice.Invoice) error {
			same := invoice.Attributes{Lines: domain.Some([]invoice.LineAttributes{
				{ID: domain.Some(before.Lines[1].ID), Count: domain.Some(fixture.Quantity("-2.3456780"))},
				{ID: domain.Some(before.Lines[0].ID)},
			})}
			return inv.Update(same, before.Terms, later)
		})
		if len(added) != 0 {
			s.t.Errorf("new lines: %v, want none", added)
		}
		if diff := cmp.Diff(before, s.invoice(before.ID)); diff != "" {
			s.t.Errorf("-want +got\n%s", diff)
		}
	})
}

// contract 10.76
func TestInvoiceIsStoredWhicheverOfItsLinesAreLoaded(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		before := s.issued(o, withLines(o, "a", "b", "c"))
		second := before.Lines[1].ID
		expect := func(what string, inv *invoice.Invoice, lines int) {
			s.t.Helper()
			if got := inv.State(); len(got.Lines) != lines || got.TotalCount != before.TotalCount ||
				got.TextBytes != before.TextBytes || !got.TotalPrice.Equal(before.TotalPrice) {
				s.t.Errorf("%s loads %d lines of %d with %d bytes and the sum %s", what, len(got.Lines), got.TotalCount, got.TextBytes, got.TotalPrice)
			}
		}
		var added []invoice.LineID
		s.doAs(o.Manager, func(ctx context.Context, st repository.Stores) error {
			header, err := st.Invoices.LockHeader(ctx, before.ID)
			if err != nil {
				return err
			}
			expect("LockHeader", header, 0)
			if err := header.AddLine(fixture.Line("d"), before.Terms, later); err != nil {
				return err
			}
			added, err = st.Invoices.Save(ctx, header)
			return err
		})
		before = s.invoice(before.ID)
		s.doAs(o.Manager, func(ctx context.Context, st repository.Stores) error {
			line, err := st.Invoices.LockByLine(ctx, second)
			if err != nil {
				return err
			}
			expect("LockByLine", line, 1)
			if err := line.ChangeLine(second, invoice.LineAttributes{Name: domain.Some("B")}, before.Terms, later); err != nil {
				return err
			}
			_, err = st.Invoices.Save(ctx, line)
			return err
		})
		s.doAs(o.Manager, func(ctx context.Context, st repository.Stores) error {
			line, err := st.Invoices.LockByLine(ctx, added[0])
			if err != nil {
				return err
			}
			if err := line.RemoveLine(added[0], before.Terms, later); err != nil {
				return err
			}
			_, err = st.Invoices.Save(ctx, line)
			return err
		})
		got := s.invoice(before.ID)
		var names []string
		for _, l := range got.Lines {
			names = append(names, fmt.Sprint(l.Name, l.Version))
		}
		if diff := cmp.Diff([]string{"a1", "B2", "c1"}, names); diff != "" || got.TotalCount != 3 || len(added) != 1 {
			s.t.Errorf("%d lines are counted, %d added: -want +got\n%s", got.TotalCount, len(added), diff)
		}
		s.doAs(o.Manager, func(ctx context.Context, st repository.Stores) error {
			header, err := st.Invoices.LockHeader(ctx, before.ID)
			if err != nil {
				return err
			}
			return st.Invoices.Remove(ctx, header)
		})
		s.expectLine(second, 0)
	})
}
