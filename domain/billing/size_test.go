package billing_test

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/party"
)

// contract 2.39
func TestDocumentWithTooMuchTextIsNotWritten(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		fits bool
	}{
		"as much as possible":          {strings.Repeat("x", 32<<10), true},
		"a byte more":                  {strings.Repeat("x", 32<<10) + "x", false},
		"a fifth in quotation marks":   {strings.Repeat(`"`, 32<<10/5), true},
		"quotation marks":              {strings.Repeat(`"`, 32<<10), false},
		"characters of two bytes":      {strings.Repeat("é", 16<<10), true},
		"more characters of two bytes": {strings.Repeat("é", 16<<10+1), false},
	} {
		d := billing.Document{Lines: make([]billing.Line, 64)}
		for i := range d.Lines {
			d.Lines[i].Name = tt.text
		}
		for _, f := range []billing.Form{billing.PDF, billing.HTML} {
			if err := billing.Expect(d, f); tt.fits != (err == nil) || err != nil && !fault.Is(err, fault.Invalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for name, l := range map[string]billing.Line{
		"unit": {Unit: "&"}, "description": {Item: invoice.Item{Description: "&"}}, "note": {Item: invoice.Item{Note: "&"}},
		"reason": {Adjustments: []billing.Adjustment{{Reason: "&"}}},
	} {
		if size := (billing.Document{Lines: []billing.Line{{Name: "x"}, l}}).TextSize(); size != 6 {
			t.Errorf("with a %s it has %d bytes", name, size)
		}
	}
	notes := invoice.TradeTerms{Notes: party.NotesOf([]party.Note{{Text: "one"}, {Text: "&"}})}
	if size := (billing.Document{Trade: notes}).TextSize(); size != 8 {
		t.Errorf("with notes it has %d bytes", size)
	}
	d := billing.Document{Notice: strings.Repeat("x", billing.MaxTextSize), Lines: []billing.Line{{Unit: "h"}}}
	if err := billing.Expect(d, billing.UBL); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "shorten") {
		t.Errorf("a unit more: %v", err)
	}
}
