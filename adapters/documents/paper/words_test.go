package paper

import (
	"reflect"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/money"
)

func TestLanguagesHaveAllWords(t *testing.T) {
	for name := range languages {
		w := wordsOf(name)
		for _, all := range []reflect.Value{reflect.ValueOf(w), reflect.ValueOf(w.termWords)} {
			for i := range all.NumField() {
				if all.Field(i).IsZero() && all.Field(i).Kind() != reflect.Bool {
					t.Errorf("%s has no %s", name, all.Type().Field(i).Name)
				}
			}
		}
		for _, c := range []billing.Category{billing.Exempt, billing.ReverseCharge, billing.Outside} {
			if w.reasons[c] == "" {
				t.Errorf("%s has no reason for %s", name, c)
			}
		}
		if strings.Count(w.page, "%d") != 2 {
			t.Errorf("%s: %s", name, w.page)
		}
	}
	if wordsOf("tlh").invoice != "Invoice" {
		t.Error("an unknown language is not English")
	}
}

func TestNumbersAreWrittenAsTheLanguageDoes(t *testing.T) {
	for _, tt := range []struct{ lang, amount, cents, unitPrice, percent, with string }{
		{"en", "-1234567.5", "-1,234,567.50", "-1,234,567.50", "7.50", "7.5"},
		{"de", "999.1234", "999,12", "999,1234", "19.00", "19"},
		{"fr", "1000", "1\u00a0000,00", "1\u00a0000,00", "0.00", "0"},
		{"pl", "0.125", "0,13", "0,1250", "100.00", "100"},
	} {
		w := wordsOf(tt.lang)
		a, err := money.ParseAmount(tt.amount)
		if err != nil {
			t.Fatal(err)
		}
		p, err := money.ParsePercent(tt.percent)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.cents(a); got != tt.cents {
			t.Errorf("%s: %s is %s in cents", tt.lang, tt.amount, got)
		}
		if got := w.unitPrice(a); got != tt.unitPrice {
			t.Errorf("%s: %s is the price %s", tt.lang, tt.amount, got)
		}
		if got, want := w.percent(p), w.decimalText(tt.with)+"\u00a0%"; got != want {
			t.Errorf("%s: %s is %s", tt.lang, tt.percent, got)
		}
	}
}
