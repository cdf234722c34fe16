package pgstore

import (
	"fmt"
	"slices"
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

// contract 12.162
func TestLocksOfFactsHaveOneOrderInAllCompanies(t *testing.T) {
	t.Parallel()
	ordered := []repository.Question{
		{Kind: repository.UnpaidInvoicesOfClient, ID: 2},
		{Kind: repository.NumberTaken, ID: 1, Year: 2024},
		{Kind: repository.NumberTaken, ID: 1, Year: 2026},
		{Kind: repository.NumberTaken, ID: 2, Year: 2023},
		{Kind: repository.ClientRecord, ID: 1},
		{Kind: repository.PerformerRecord, ID: 1},
	}
	for i := range 20 {
		var locks []subjectLock
		for _, s := range ordered {
			locks = append(locks, subjectLock{subject: s, key: lockKey(tenant.Code(fmt.Sprintf("%08x", i)), s)})
		}
		slices.Reverse(locks)
		slices.SortStableFunc(locks, compareLocks)
		for place, lock := range locks {
			if lock.subject != ordered[place] {
				t.Fatalf("in company %d the lock %d is %+v, want %+v", i, place, lock.subject, ordered[place])
			}
		}
	}
}
