package party_test

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
)

// contract 18.30
func TestDiscountForEarlyPaymentHasAPercentageAndDays(t *testing.T) {
	two, err := money.ParsePercent("2")
	if err != nil {
		t.Fatal(err)
	}
	before := party.State{Digits: 4, Numbering: "manual", DiscountPercent: two, DiscountDays: domain.Some[int32](7)}
	for want, s := range map[string]party.State{
		"":                                     {},
		" ":                                    {DiscountPercent: two, DiscountDays: domain.Some[int32](0)},
		"  ":                                   {DiscountPercent: two, DiscountDays: domain.Some[int32](party.MaxPaymentDays)},
		"discount_days must be from 0":         {DiscountPercent: two, DiscountDays: domain.Some[int32](-1)},
		"discount_days must be from 0 to 3650": {DiscountPercent: two, DiscountDays: domain.Some[int32](party.MaxPaymentDays + 1)},
		"discount_percent is required with":    {DiscountDays: domain.Some[int32](1)},
		"discount_days is required with discount_per": {DiscountPercent: two},
	} {
		got, err := party.Change(before, s)
		isRight := strings.TrimSpace(want) == ""
		if (err == nil) != isRight || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
		if kept := got.DiscountPercent == before.DiscountPercent && got.DiscountDays == before.DiscountDays; kept == isRight {
			t.Errorf("%q leaves %s and %v", want, got.DiscountPercent, got.DiscountDays)
		}
	}
}
