package pgstore

import (
	"testing"

	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// contract 14.47
func TestLockKeysOfCompaniesAreDifferent(t *testing.T) {
	t.Parallel()
	keys := map[int64]tenant.Code{}
	for _, of := range []tenant.Code{"", "0a1b2c3d", "4e5f6071"} {
		for _, subject := range []repository.Question{{Kind: 1, ID: 1}, {Kind: 2, ID: 1}, {Kind: 1, ID: 2}, {Kind: 3, Year: 2024}} {
			key := lockKey(of, subject)
			if other, isTaken := keys[key]; isTaken {
				t.Errorf("%+v of company %q has a key of company %q: writers would wait for each other", subject, of, other)
			}
			keys[key] = of
		}
	}
}
