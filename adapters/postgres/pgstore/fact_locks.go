package pgstore

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// lockAnswers queues the locks on the answers to the questions, together with those on the facts that the unit of work alters, or
// may alter because it has locked the record, such as the deals of the client that a deal leaves: two writers that move deals
// between two clients would otherwise deadlock.
//
// Chose: advisory locks of the transaction, exclusive ones also for those who only ask, except for single records. Because: most
// who ask for a number or a list change it, and two that shared its lock would then deadlock; few who ask for a record change it.
// Costs: writers who ask for the same number write one after another.
func (u *unit) lockAnswers(questions []repository.Question) {
	exclusive, shared := u.altered(), []repository.Question(nil)
	for _, q := range questions {
		if q.Kind.IsRecord() {
			shared = append(shared, q.Subject())
		} else {
			exclusive = append(exclusive, q.Subject())
		}
	}
	u.lockSubjects(exclusive, shared)
}

// lockBeforeSeries queues the locks that come before that of a series: on the facts that the unit of work alters, and then on the
// performer, which others do not change before the commit. Who waits to change the performer would wait for one who has this lock
// and needs a fact, while the one who has the fact would wait behind.
func (u *unit) lockBeforeSeries(p performer.ID) {
	u.lockSubjects(u.altered(), nil)
	u.lockSubjects(nil, []repository.Question{recordOf(p)})
}

// lockPerformer queues the lock on a performer, for a change of what documents say of it.
func (u *unit) lockPerformer(p performer.ID) { u.lockSubjects([]repository.Question{recordOf(p)}, nil) }

func recordOf(p performer.ID) repository.Question {
	return repository.Question{Kind: repository.PerformerRecord, ID: int64(p)}
}

// lockChanged queues the locks on the facts that the changes alter. It waits for those who have asked about them.
func (u *unit) lockChanged() { u.lockSubjects(u.subjects(u.changes), nil) }

// altered returns the subjects of the facts that the unit of work has altered since it called lockChanged, is about to alter, or may
// still alter.
func (u *unit) altered() []repository.Question {
	return slices.Concat(u.proposed, u.subjects(u.loaded()), u.subjects(u.changes))
}

// subjects returns the subjects of the facts that the changes alter and that others need to stay as they are: those that rules ask
// for, and performers, because documents name them.
func (u *unit) subjects(c repository.Changes) []repository.Question {
	return derive.Subjects(c, u.protected|repository.FactsOf(repository.PerformerRecord))
}

// lockSubjects queues the locks on subjects of facts that the unit of work does not hold yet, in their order: records last, and by
// kind, id and year. A dry run locks none.
func (u *unit) lockSubjects(exclusive, shared []repository.Question) {
	if u.meta.DryRun {
		return
	}
	var locks []subjectLock
	for _, s := range exclusive {
		locks = append(locks, subjectLock{s, lockKey(u.company, s), false})
	}
	for _, s := range shared {
		locks = append(locks, subjectLock{s, lockKey(u.company, s), true})
	}
	slices.SortStableFunc(locks, compareLocks) // an exclusive lock stays before a shared one that it makes needless
	var keys []int64
	var areShared []bool
	for _, l := range locks {
		if isShared, isHeld := u.held[l.subject]; isHeld && (l.isShared || !isShared) {
			continue
		}
		if u.held == nil {
			u.held = map[repository.Question]bool{}
		}
		u.held[l.subject] = l.isShared
		keys, areShared = append(keys, l.key), append(areShared, l.isShared)
	}
	if len(keys) > 0 {
		u.Lock(lockKeys, keys, areShared)
	}
}

type subjectLock struct {
	subject  repository.Question
	key      int64
	isShared bool
}

// compareLocks orders locks in the same way in every company. Units of work that lock in several steps lock earlier years first: a
// credit note has the numbers of the year of its invoice locked before those of its own.
func compareLocks(a, b subjectLock) int {
	if isRecord := b.subject.Kind.IsRecord(); isRecord != a.subject.Kind.IsRecord() {
		if isRecord {
			return -1
		}
		return 1
	}
	s, other := a.subject, b.subject
	return cmp.Or(cmp.Compare(s.Kind, other.Kind), cmp.Compare(s.ID, other.ID), cmp.Compare(s.Year, other.Year))
}

// lockKeys locks the keys in their order. It names a table so that Citus runs it where the tables
// of the company are: there, all writers wait for each other, whichever node they are connected
// to. Without a row of it, nothing else would change.
const lockKeys = `
select case when is_shared then pg_advisory_xact_lock_shared(key) else pg_advisory_xact_lock(key) end
from unnest($1::bigint[], $2::boolean[]) as subjects (key, is_shared)
left join (select from settings limit 1) place on true`

// lockKey is the key of the company's subject, which is a hash: two subjects with one key only
// wait for each other without need. Keys are those of the whole database, and companies count
// their records from 1.
func lockKey(code tenant.Code, subject repository.Question) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.Join([]string{
		"kontor" + string(code), strconv.Itoa(int(subject.Kind)), strconv.FormatInt(subject.ID, 10), strconv.Itoa(subject.Year),
	}, "\x00")))
	return int64(h.Sum64())
}
