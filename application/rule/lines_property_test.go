package rule_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/test/fixture"
)

// contract 12.117
func TestLinesAreTheSameWhicheverLinesAreLoaded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := invoice.State{ID: 1, Status: invoice.NotPaid, PerformerID: 1}
		for id := range rapid.IntRange(1, 6).Draw(t, "lines") {
			whole.Lines = append(whole.Lines, invoice.Line{
				ID: invoice.LineID(10 * (id + 1)), Name: "line", Count: money.One(), Price: fixture.Amount("1"), Total: fixture.Amount("1"),
			})
		}
		whole.TotalCount = len(whole.Lines)
		i := rapid.IntRange(-1, len(whole.Lines)-1).Draw(t, "place")
		part := whole
		part.Lines = nil
		var id invoice.LineID
		if i >= 0 {
			id, part.Lines = whole.Lines[i].ID, whole.Lines[i:i+1]
		}
		a := invoice.LineAttributes{Name: domain.Some(rapid.StringMatching(`[a-z]{1,5}`).Draw(t, "name"))}
		isRemoval := rapid.Bool().Draw(t, "removal")
		change := func(inv *invoice.Invoice) error {
			switch {
			case i < 0:
				return inv.AddLine(a, performer.Terms{}, time.Time{})
			case isRemoval:
				return inv.RemoveLine(id, performer.Terms{}, time.Time{})
			}
			return inv.ChangeLine(id, a, performer.Terms{}, time.Time{})
		}
		var names [2][]string
		for n, before := range []invoice.State{whole, part} {
			inv := invoice.Restore(before)
			if err := change(inv); err != nil {
				t.Fatal(err)
			}
			after := inv.State()
			lines, err := rule.Lines(t.Context(), rule.Change[invoice.State]{
				Before: &before, After: &after, Facts: rule.NewFacts(storedLines{lines: whole.Lines}),
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range lines {
				names[n] = append(names[n], l.Name)
			}
		}
		if diff := cmp.Diff(names[0], names[1]); diff != "" {
			t.Fatalf("all lines are loaded, or only what changes: -all +part\n%s", diff)
		}
	})
}
