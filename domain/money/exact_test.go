package money_test

import (
	"encoding"
	"testing"

	"github.com/kontor-crm/kontor/domain/money"
)

func TestParseChange(t *testing.T) { // contract 10.158
	const none = "must be from -100 to 100, and not 0"
	for in, want := range map[string]string{
		"5":       "5.00",
		"-5":      "-5.00",
		"0.01":    "0.01",
		"-0.01":   "-0.01",
		"100":     "100.00",
		"-100":    "-100.00",
		"0":       none,
		"-0":      none,
		"100.01":  none,
		"-100.01": none,
		"1e30":    none,
		"1.005":   tooFine + ": at most 2 are allowed",
		"a lot":   notDecimal,
	} {
		if got := outcome(money.ParseChange(in)); got != want {
			t.Errorf("ParseChange(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestPercentHasASign(t *testing.T) {
	change := must(t)(money.ParseChange("-12.5")).(money.Percent)
	if back := change.Negated(); !change.IsNegative() || back.IsNegative() || (money.Percent{}).IsNegative() || back.String() != "12.50" {
		t.Errorf("%s is the negative of %s", back, change)
	}
	if got := change.Of(amount(t, "80")).Round().String(); got != "-10.0000" {
		t.Errorf("of 80 it is %s", got)
	}
	if got := change.Off(amount(t, "80").Exact()).Round().String(); got != "90.0000" {
		t.Errorf("80 less it is %s", got)
	}
}

func TestCurrencyHasItsFractionDigits(t *testing.T) { // contract 16.42
	for code, want := range map[string]int{
		"EUR": 2, "USD": 2, "BIF": 0, "JPY": 0, "XPF": 0, "BHD": 3, "KWD": 3, "TND": 3, "CLF": 4, "UYW": 4,
	} {
		if got := money.CurrencyDigits(code); got != want {
			t.Errorf("%s has %d fraction digits, want %d", code, got, want)
		}
	}
}

// contract 10.82
func TestQuotientIsRoundedOnce(t *testing.T) {
	third := quantity(t, "2").Times(amount(t, "10")).Per(quantity(t, "3"))
	for got, want := range map[string]string{
		third.String():                                  "6.6666666666666667",
		third.Round().String():                          "6.6667",
		third.RoundTo(2).String():                       "6.6700",
		third.RoundTo(9).String():                       "6.6667",
		third.Plus(amount(t, "1")).String():             "7.6666666666666667",
		third.Minus(amount(t, "6")).RoundTo(2).String(): "0.6700",
		percentOf(t, "50", third):                       "3.3333",
		quantity(t, "3").Times(amount(t, "1.5")).Per(money.One()).String():                "4.5",
		quantity(t, "3").Times(amount(t, "1.5")).Plus(amount(t, "1")).RoundTo(0).String(): "6.0000",
		amount(t, "10").Share(amount(t, "-1"), amount(t, "3")).Round().String():           "-3.3333",
		amount(t, "10").ShareOf(quantity(t, "2"), quantity(t, "3")).Round().String():      "6.6667",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func percentOf(t *testing.T, p string, e money.Exact) string {
	t.Helper()
	return percent(t, p).OfExact(e).Round().String()
}

func TestControlTotalInCentsIsAtMostACentOff(t *testing.T) { // contract 10.161
	for _, tt := range []struct {
		claim string
		want  bool
	}{
		{"10", true}, {"10.01", true}, {"9.99", true}, {"10.02", false}, {"9.98", false}, {"10.005", false}, {"9.9900", true},
	} {
		claim := must(t)(money.ParseControlTotal(tt.claim)).(money.ControlTotal)
		got, ok := claim.Cents(amount(t, "10"))
		if ok != tt.want || ok && !got.Equal(amount(t, tt.claim)) {
			t.Errorf("%s: %s, %v", tt.claim, got, ok)
		}
	}
}

func TestQuantitiesAreAddedAndNegated(t *testing.T) {
	a, b := quantity(t, "2.5"), quantity(t, "4")
	sum, rest := a.Plus(b), a.Minus(b)
	if sum.String() != "6.5" || rest.String() != "-1.5" || !rest.IsNegative() || a.IsNegative() || rest.Negated().String() != "1.5" {
		t.Errorf("sum %s, rest %s", sum, rest)
	}
}

func TestNumbersInTextAreReadAsTheyWereWritten(t *testing.T) {
	for _, tt := range []struct {
		text string
		from encoding.TextMarshaler
		to   encoding.TextUnmarshaler
	}{
		{"-12.5000", amount(t, "-12.5"), new(money.Amount)},
		{"999999999999999.9999", must(t)(money.RestoreAmount("999999999999999.9999")).(money.Amount), new(money.Amount)},
		{"1.25", quantity(t, "1.250"), new(money.Quantity)},
		{"0.00", money.Percent{}, new(money.Percent)},
		{"19.00", percent(t, "19"), new(money.Percent)},
		{"-5.50", must(t)(money.ParseChange("-5.5")).(money.Percent), new(money.Percent)},
	} {
		text, err := tt.from.MarshalText()
		if string(text) != tt.text || err != nil {
			t.Errorf("%s is written as %s, %v", tt.text, text, err)
		}
		if err := tt.to.UnmarshalText(text); err != nil {
			t.Errorf("%s: %v", tt.text, err)
		}
		if again, err := tt.to.(encoding.TextMarshaler).MarshalText(); string(again) != tt.text || err != nil {
			t.Errorf("%s is read as %s, %v", tt.text, again, err)
		}
		if tt.to.UnmarshalText([]byte("much")) == nil {
			t.Errorf("%T is read from a word", tt.to)
		}
	}
}
