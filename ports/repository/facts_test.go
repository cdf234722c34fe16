package repository

import "testing"

// contract 5.105
func TestEveryFactNamesTheResourcesThatItReads(t *testing.T) {
	t.Parallel()
	for kind := UnpaidInvoicesOfClient; AllFacts.Has(kind); kind++ {
		if len(FactsOf(kind).Resources()) == 0 {
			t.Errorf("the fact %d has none", kind)
		}
	}
}
