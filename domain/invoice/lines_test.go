package invoice_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/invoice"
)

// short is what a set of lines comes to: "id name count×price=total" each.
func short(ll []invoice.Line) []string {
	out := []string{}
	for _, l := range ll {
		out = append(out, fmt.Sprintf("%d %s %s×%s=%s", l.ID, l.Name, l.Count, l.Price, l.Total))
	}
	return out
}

func TestInvoiceUpdateReplacesTheSetOfLines(t *testing.T) { // contract 10.62, 10.63
	const pens, discount = "1 pens 2×10.5000=21.0000", "2 discount -1×4.0000=-4.0000"
	changed := same(1)
	changed.Count = domain.Some(quantity("3"))
	penBox, rebate := line("pens", "2", "10.50"), line("discount", "-1", "4")
	penBox.Units = domain.Some("box")
	zero := line("ink", "1", "1")
	zero.ID = domain.Some(invoice.LineID(0))
	for _, tt := range []struct {
		name string
		sent domain.Optional[[]invoice.LineAttributes]
		want []string
	}{
		{"none sent, all stay", domain.Optional[[]invoice.LineAttributes]{}, []string{pens, discount}},
		{"all mentioned, all stay", lines(same(1), same(2)), []string{pens, discount}},
		{"the order is by id", lines(same(2), same(1)), []string{pens, discount}},
		{"one not mentioned goes", lines(same(2)), []string{discount}},
		{"an empty set removes all", lines(), []string{}},
		{"only what was sent changes", lines(changed, same(2)), []string{"1 pens 3×10.5000=31.5000", discount}},
		{
			"new ones come last, as they were given", lines(line("b", "1", "1"), same(2), line("a", "2", "1"), same(1)),
			[]string{pens, discount, "0 b 1×1.0000=1.0000", "0 a 2×1.0000=2.0000"},
		},
		{"equal ones without ids stay", lines(penBox, rebate), []string{pens, discount}},
		{"an equal one is named already", lines(penBox, same(1)), []string{pens, "0 pens 2×10.5000=21.0000"}},
		{"an equal one stays once", lines(penBox, penBox), []string{pens, "0 pens 2×10.5000=21.0000"}},
		{"the order is as they were given", lines(rebate, penBox), []string{discount, "0 pens 2×10.5000=21.0000"}},
		{
			"after a new one, all are new", lines(penBox, line("a", "1", "1"), rebate),
			[]string{pens, "0 a 1×1.0000=1.0000", "0 discount -1×4.0000=-4.0000"},
		},
		{"with other units, it is new", lines(line("pens", "2", "10.50"), rebate), []string{"0 pens 2×10.5000=21.0000", "0 discount -1×4.0000=-4.0000"}},
		{"an empty id is none", lines(zero), []string{"0 ink 1×1.0000=1.0000"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inv := invoice.Restore(stored(invoice.NotPaid))
			if err := inv.Update(invoice.Attributes{Lines: tt.sent}, vat20, tuesday); err != nil {
				t.Fatal(err)
			}
			s := inv.State()
			if diff := cmp.Diff(tt.want, short(s.Lines)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if moved := s.UpdatedOn.Equal(tuesday); moved == cmp.Equal(tt.want, []string{pens, discount}) {
				t.Errorf("updated on %v", s.UpdatedOn)
			}
		})
	}
}

func TestNewLineHasDefaults(t *testing.T) { // contract 10.56
	inv := invoice.Restore(stored(invoice.NotPaid))
	if err := inv.AddLine(invoice.LineAttributes{Name: domain.Some("gift")}, vat20, tuesday); err != nil {
		t.Fatal(err)
	}
	got := inv.State().Lines[2]
	want := invoice.Line{Name: "gift", Count: quantity("1"), Price: amount("0"), Total: amount("0")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestInvoiceUpdateNamesEveryWrongFieldOfEveryLine(t *testing.T) { // contract 3.3, 10.56, 10.65, 10.79, 10.83
	long := func(n int) domain.Optional[string] { return domain.Some(strings.Repeat("x", n+1)) }
	wrongTotal := line("ink", "3", "0.3333")
	wrongTotal.Total = domain.Some(claim("1.01"))
	stray := invoice.LineAttributes{
		ID: domain.Some(invoice.LineID(9)), Count: domain.Some(quantity("0")),
	}
	another := invoice.LineAttributes{ID: domain.Some(invoice.LineID(8)), Total: domain.Some(claim("7"))}
	emptied := same(1)
	emptied.Name = domain.Some(" ")
	inv := invoice.Restore(stored(invoice.NotPaid))
	err := inv.Update(invoice.Attributes{Lines: lines(
		invoice.LineAttributes{Name: long(65535), Units: long(255), Count: domain.Some(quantity("0"))},
		invoice.LineAttributes{},
		wrongTotal,
		stray,
		emptied,
		same(1),
		line("gold", "999999999999", "1001"),
		another,
	)}, vat20, tuesday)
	want := strings.Join([]string{
		"invalid: items[0].name must have at most 65535 characters",
		"items[0].units must have at most 255 characters",
		"items[0].count must not be 0",
		"items[1].name is required",
		"items[2].total_price must be 0.9999",
		"items[3].id is not a line of this invoice",
		"items[3].count must not be 0",
		"items[4].name must not be empty",
		"items[5].id names the line that items[4] names",
		"items[6].total_price must be below 10^15 in absolute value",
		"items[7].id is not a line of this invoice",
	}, "; ")
	if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	expect(t, stored(invoice.NotPaid), inv)
}

func TestNewInvoiceRejectsLineIDs(t *testing.T) { // contract 10.65
	a := required()
	a.Lines = lines(same(1))
	_, err := invoice.New(issuer, a, vat20, monday)
	if got, want := fmt.Sprint(err), "invalid: items[0].id is not a line of this invoice"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLineTotalIsCheckedAndComputed(t *testing.T) { // contract 10.83
	for given, want := range map[string]string{
		"1.0008":  "1.0008",
		"1":       "1.0008",
		"1.0058":  "1.0008",
		"1.00581": "must be 1.0008",
		"1.01":    "must be 1.0008",
		"-1.0008": "must be 1.0008",
	} {
		a := line("ink", "3", "0.3336")
		a.Total = domain.Some(claim(given))
		inv := invoice.Restore(stored(invoice.NotPaid))
		var got string
		if err := inv.AddLine(a, vat20, tuesday); err != nil {
			got = strings.TrimPrefix(err.Error(), "invalid: total_price ")
		} else {
			got = inv.State().Lines[2].Total.String()
		}
		if got != want {
			t.Errorf("%s given: %s, want %s", given, got, want)
		}
	}
}

func TestInvoiceLineIsAddedChangedAndRemoved(t *testing.T) { // contract 10.76, 10.77
	cheaper := invoice.LineAttributes{
		ID: domain.Some(invoice.LineID(77)), Price: domain.Some(amount("9")), Total: domain.Some(claim("18.00")),
	}
	discount := "2 discount -1×4.0000=-4.0000"
	for _, tt := range []struct {
		name  string
		do    func(*invoice.Invoice) error
		want  []string
		total string
	}{
		{
			"added", func(inv *invoice.Invoice) error {
				a := line("ink", "1", "3")
				a.ID = domain.Some(invoice.LineID(1)) // not looked at
				return inv.AddLine(a, vat20, tuesday)
			},
			[]string{"1 pens 2×10.5000=21.0000", discount, "0 ink 1×3.0000=3.0000"}, "20.0000+4.0000=24.0000",
		},
		{
			"changed", func(inv *invoice.Invoice) error { return inv.ChangeLine(1, cheaper, vat20, tuesday) },
			[]string{"1 pens 2×9.0000=18.0000", discount}, "14.0000+2.8000=16.8000",
		},
		{
			"removed", func(inv *invoice.Invoice) error { return inv.RemoveLine(1, vat20, tuesday) },
			[]string{discount}, "-4.0000+-0.8000=-4.8000",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inv := invoice.Restore(stored(invoice.NotPaid))
			if err := tt.do(inv); err != nil {
				t.Fatal(err)
			}
			s := inv.State()
			if diff := cmp.Diff(tt.want, short(s.Lines)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if got := fmt.Sprintf("%s+%s=%s", s.TotalPrice, s.VATPrice, s.PayPrice); got != tt.total || s.TotalCount != len(tt.want) {
				t.Errorf("totals %s of %d, want %s", got, s.TotalCount, tt.total)
			}
			if !s.UpdatedOn.Equal(tuesday) {
				t.Errorf("updated on %v", s.UpdatedOn)
			}
		})
	}
}

func TestInvoiceLineThatDoesNotExistCannotChange(t *testing.T) { // contract 3.12
	inv := invoice.Restore(stored(invoice.NotPaid))
	if err := inv.AddLine(line("ink", "1", "1"), vat20, tuesday); err != nil { // a line without an id, yet
		t.Fatal(err)
	}
	before := inv.State()
	for _, id := range []invoice.LineID{0, 3} {
		want := fmt.Sprintf("not found: the invoice has no line %d", id)
		if err := inv.ChangeLine(id, invoice.LineAttributes{}, vat20, tuesday); fmt.Sprint(err) != want {
			t.Errorf("changed: %v", err)
		}
		if err := inv.RemoveLine(id, vat20, tuesday); fmt.Sprint(err) != want {
			t.Errorf("removed: %v", err)
		}
	}
	expect(t, before, inv)
}

func TestFrozenInvoiceRejectsLineChanges(t *testing.T) { // contract 10.36, 10.76
	for _, status := range []invoice.Status{invoice.Closed, invoice.Cancelled} {
		want := fmt.Sprintf("conflict: the invoice is %s: only its state and notice can change", strings.ToLower(status.String()))
		inv := invoice.Restore(stored(status))
		for what, err := range map[string]error{
			"added":   inv.AddLine(line("ink", "1", "1"), vat20, tuesday),
			"changed": inv.ChangeLine(1, invoice.LineAttributes{Units: domain.Some("kg")}, vat20, tuesday),
			"removed": inv.RemoveLine(1, vat20, tuesday),
		} {
			if fmt.Sprint(err) != want {
				t.Errorf("%v, %s: %v", status, what, err)
			}
		}
		if err := inv.ChangeLine(1, echo(stored(status)).Lines.Or(nil)[0], vat7, tuesday); err != nil { // contract 4.58
			t.Errorf("%v, sent back as read: %v", status, err)
		}
		expect(t, stored(status), inv)
	}
}

func TestLineErrorsHaveTheFieldNamesOfALine(t *testing.T) { // contract 10.68, 10.79, 10.83
	inv := invoice.Restore(stored(invoice.NotPaid))
	err := inv.AddLine(invoice.LineAttributes{Count: domain.Some(quantity("0"))}, vat20, tuesday)
	if got, want := fmt.Sprint(err), "invalid: name is required; count must not be 0"; got != want {
		t.Errorf("added: %s, want %s", got, want)
	}
	err = inv.ChangeLine(1, invoice.LineAttributes{Name: domain.Some(""), Total: domain.Some(claim("5"))}, vat20, tuesday)
	if got, want := fmt.Sprint(err), "invalid: name must not be empty; total_price must be 21.0000"; got != want {
		t.Errorf("changed: %s, want %s", got, want)
	}
	expect(t, stored(invoice.NotPaid), inv)
}
