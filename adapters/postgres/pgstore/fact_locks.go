package pgstore

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// lockSubjects queues the locks on subjects of facts that the unit of work does not hold yet, in
// the order of their keys.
//
// Chose: exclusive advisory locks of the transaction, also for those who only ask. Because: most
// of them change what they have asked about, and two that shared a lock would then deadlock.
// Costs: writers who ask about the same subject write one after another.
func (u *unit) lockSubjects(subjects []repository.Question) {
	var keys []int64
	for _, s := range subjects {
		if u.locked[s] {
			continue
		}
		if u.locked == nil {
			u.locked = map[repository.Question]bool{}
		}
		u.locked[s] = true
		keys = append(keys, lockKey(u.company, s))
	}
	if len(keys) == 0 {
		return
	}
	slices.Sort(keys)
	u.Store(lockKeys, keys)
}

// lockKeys locks the keys in their order. It names a table so that Citus runs it where the tables
// of the company are: there, all writers wait for each other, whichever node they are connected
// to. Without a row of it, nothing else would change.
const lockKeys = `
select pg_advisory_xact_lock(key)
from unnest($1::bigint[]) as subjects (key)
left join (select from settings limit 1) place on true`

// lockKey is the key of the company's subject, which is a hash: two subjects with one key only
// wait for each other without need. Keys are those of the whole database, and companies count
// their records from 1.
func lockKey(code tenant.Code, subject repository.Question) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.Join([]string{
		"kontor" + string(code), strconv.Itoa(int(subject.Kind)), strconv.FormatInt(subject.ID, 10), strconv.Itoa(subject.Year), subject.Number,
	}, "\x00")))
	return int64(h.Sum64())
}

// protectFacts waits for those who have asked about what has changed, unless nothing will be stored.
func (u *unit) protectFacts() {
	if u.protected != 0 && !u.meta.DryRun {
		u.lockSubjects(derive.Subjects(u.changes, u.protected))
	}
}
