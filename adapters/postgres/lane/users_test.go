package lane

import (
	"fmt"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/ports/company"
)

// newFullQueue returns lanes with as many users as possible; "1 0" is the first user of the second one.
func newFullQueue(lanes int) (*Queue, *clockOfQueue) {
	q, clock := newQueue(lanes, lanes)
	for i, l := range q.lanes {
		for user := range maxUsers {
			l.use(company.Code(fmt.Sprint(i, user)), "", clock.at)
		}
	}
	return q, clock
}

func TestLaneHasALimitedNumberOfUsers(t *testing.T) {
	t.Parallel()
	q, clock := newFullQueue(3)
	busy := taken(q.join("0 0", ""))
	taken(q.join("1 0", ""))
	waits := q.join("new", "")
	if taken(waits) != nil {
		t.Fatal("a lane gets one user too many at once, while most are in use")
	}
	clock.at = clock.at.Add(shortWait)
	if q.serve("new"); taken(waits) != q.lanes[2] {
		t.Error("a company waits longer than it has to, for a lane that is free")
	}
	if q.lanes[2].isUser("2 0", "") || !q.lanes[2].isUser("2 1", "") || len(q.lanes[2].users) != maxUsers {
		t.Errorf("the users are %v, want the oldest one replaced", q.lanes[2].users)
	}
	q.Free(busy)
	q.Free(q.lanes[2])
	if taken(q.join("newer", "")) == nil {
		t.Error("a company waits although most lanes are free")
	}
	clock.at = clock.at.Add(usesUntil)
	if l := taken(q.join("later", "")); l == nil || len(l.users) != 1 {
		t.Error("companies count as users that have not used the lane lately")
	}
}

// Another lane would need the statements of the company, and lose those of one of its users.
func TestCompanyWaitsForALaneThatItUses(t *testing.T) {
	t.Parallel()
	q, clock := newFullQueue(4)
	its := taken(q.join("0 0", ""))
	if its != q.lanes[0] {
		t.Fatal("a company does not get the lane that it uses")
	}
	second, third := q.join("0 0", ""), q.join("0 0", "")
	if taken(second) != nil {
		t.Fatal("the company gets a lane of others, because most are free")
	}
	if got := taken(q.join("new", "")); got == nil {
		t.Error("a company that uses no lane waits, though most are free")
	}
	q.Free(its)
	if taken(second) != its {
		t.Error("the company does not get its lane when it is free")
	}
	clock.at = clock.at.Add(shortWait)
	if q.serve("0 0"); taken(third) == nil {
		t.Error("the company waits too long for its lane")
	}
}

func TestCompanyWaitsLongerForALaneOfAQuickRequest(t *testing.T) {
	t.Parallel()
	q, clock := newFullQueue(4)
	its := taken(q.join("0 0", ""))
	before, waits := q.join("0 1", ""), q.join("0 2", "")
	clock.at = clock.at.Add(shortWait - time.Millisecond)
	q.Free(its)
	if taken(before) != its {
		t.Fatal("the first company that waits does not get the lane")
	}
	clock.at = clock.at.Add(time.Millisecond)
	if q.serve("0 2"); taken(waits) != nil {
		t.Error("the company gets a lane of others, though a quick request holds the one that it uses")
	}
	clock.at = clock.at.Add(longWait - shortWait)
	q.holders[its] = holder{"0 1", clock.at} // another quick request
	if q.serve("0 2"); taken(waits) == nil {
		t.Error("the company waits too long for its lane")
	}
}

func TestCompanyThatUsesALaneNeedsMoreRoomOnAnother(t *testing.T) {
	t.Parallel()
	q, clock := newQueue(2, 2)
	q.lanes[0].use("a", "", clock.at)
	for user := range fewUsers {
		q.lanes[1].use(company.Code(fmt.Sprint(user)), "", clock.at)
	}
	if taken(q.join("a", "")) != q.lanes[0] {
		t.Fatal("a company does not get the lane that it uses")
	}
	if second := q.join("a", ""); taken(second) != nil {
		t.Error("a company gets a second lane that has many users")
	}
	if taken(q.join("b", "")) != q.lanes[1] {
		t.Error("a company that uses no lane does not get one that has room")
	}
}
