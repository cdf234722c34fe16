package pgstore

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/ports/repository"
)

// The strengths of a lock on a subject.
const (
	shared    lockStrength = false // of one who asks
	exclusive lockStrength = true  // of one who changes, or may come to change, what others ask about
)

type lockStrength bool

// subjectLocks are locks on the subjects of facts.
//
// Chose: advisory locks of the transaction, shared for those who ask and exclusive for those who
// change what it is about. Because: two who only ask do not wait for each other, as the writers
// of one user who count that user's deals; those who change a subject usually ask about it as
// well. Costs: two who change one subject wait for each other even if neither has asked.
type subjectLocks map[repository.Question]lockStrength

func (l *subjectLocks) add(subject repository.Question, s lockStrength) {
	if *l == nil {
		*l = subjectLocks{}
	}
	(*l)[subject] = (*l)[subject] || s
}

// lockSubjects queues the locks that the unit of work does not hold yet, in the order of their
// keys.
func (u *unit) lockSubjects(locks subjectLocks) {
	type lock struct {
		key      int64
		strength lockStrength
	}
	var missing []lock
	for subject, s := range locks {
		if held, ok := u.held[subject]; !ok || s == exclusive && held == shared {
			missing = append(missing, lock{lockKey(u.company, subject), s})
			u.held.add(subject, s)
		}
	}
	if len(missing) == 0 {
		return
	}
	slices.SortFunc(missing, func(a, b lock) int { return cmp.Compare(a.key, b.key) })
	keys, strengths := make([]int64, len(missing)), make([]bool, len(missing))
	for i, l := range missing {
		keys[i], strengths[i] = l.key, bool(l.strength)
	}
	u.Store(lockKeys, keys, strengths)
}

// lockKeys locks the keys in their order. It names a table so that Citus runs it where the tables
// of the company are: there, all writers wait for each other, also those that are connected to the
// worker. Without a row of it, nothing else would change.
const lockKeys = `
select case when strong then pg_advisory_xact_lock(key) else pg_advisory_xact_lock_shared(key) end
from unnest($1::bigint[], $2::boolean[]) as subjects (key, strong)
left join (select from settings limit 1) place on true`

// lockKey is the key of the company's subject, which is a hash: two subjects with one key only
// wait for each other without need. Keys are those of the whole database, and companies count
// their records from 1.
func lockKey(of company.Code, subject repository.Question) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.Join([]string{
		"kontor" + string(of), strconv.Itoa(int(subject.Kind)), strconv.FormatInt(subject.ID, 10), strconv.Itoa(subject.Year), subject.Number,
	}, "\x00")))
	return int64(h.Sum64())
}

// protectFacts waits for those who have asked about what has changed. What the deferred judgements
// ask about is locked by the same statement, so that all of these locks are taken in one order.
func (u *unit) protectFacts() {
	if u.protected == 0 && len(u.deferred) == 0 {
		return
	}
	locks := asked(u.deferred)
	for _, s := range derive.Subjects(u.changes, u.protected) {
		locks.add(s, exclusive)
	}
	u.lockSubjects(locks)
}
