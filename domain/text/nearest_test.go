package text_test

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/text"
)

// contract 2.33, 3.28
func TestNearestIsWithinTwoEdits(t *testing.T) {
	names := []string{"name", "price", "per_page", "page", "client_id", "on", "total_price"}
	for s, want := range map[string]string{
		"prise": "price", "nane": "name", "name": "name", "per-page": "per_page", "clinet_id": "client_id",
		"pages": "page", "totalprice": "total_price", "totaprice": "total_price", "onn": "on", "nam": "name",
		"": "", "q": "", "id": "", "limit": "", "vat_number": "", "xname!x": "", strings.Repeat("name", 100_000): "",
	} {
		if got := text.Nearest(s, names); got != want {
			t.Errorf("%.20q: got %q, want %q", s, got, want)
		}
	}
}
