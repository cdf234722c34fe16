package performer_test

import (
	"testing"

	"github.com/kontor-crm/kontor/domain/performer"
)

func TestOnlyStandardAndZeroRatedVATIsCharged(t *testing.T) {
	for _, name := range performer.VATCategories {
		c := performer.VATCategory(name)
		if want := c == "standard" || c == "zero"; c.IsCharged() != want {
			t.Errorf("%s is charged: %v, want %v", c, c.IsCharged(), want)
		}
	}
}
