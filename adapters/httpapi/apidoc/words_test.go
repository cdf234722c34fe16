package apidoc

import "testing"

// contract 2.90
func TestEveryAttributeHasPlainWords(t *testing.T) {
	for name, want := range map[string]string{"pay_price": "Amount to pay", "company": "Client", "bank_details": "Bank details", "items[0].price": "items[0].price"} {
		if got := Words(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
