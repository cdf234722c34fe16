package page

import "testing"

// contract 2.90
func TestMoneyHasThousandsAndCentsIfItIsWholeCents(t *testing.T) {
	for _, c := range []struct{ amount, currency, want string }{
		{"0.0000", "", "0.00"}, {"9600.0000", "EUR", "9,600.00\u00a0EUR"}, {"1234567.8900", "", "1,234,567.89"}, {"0.1234", "", "0.1234"},
		{"-999.5000", "", "\u2212999.50"}, {"-123456.1200", "CHF", "\u2212123,456.12\u00a0CHF"}, {"99745.1234", "EUR", "99,745.1234\u00a0EUR"},
	} {
		if got := Money(c.amount, c.currency); got != c.want {
			t.Errorf("%s %s is %q, want %q", c.amount, c.currency, got, c.want)
		}
	}
}
