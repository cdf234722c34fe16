package rule

import (
	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/user"
)

// ClientStaysWithManager is the rule that a manager may not give a client to
// another user, on creation or later. Taking one over is allowed.
type ClientStaysWithManager struct{}

// Check refuses with fault.Forbidden.
func (ClientStaysWithManager) Check(before, after *client.State, actor access.Actor) error {
	if after == nil || before != nil && before.UserID == after.UserID {
		return nil
	}
	return refuseGift(after.UserID, actor)
}

// DealStaysWithManager is the rule that a manager may not give a deal to
// another user, on creation or later. Taking one over is allowed.
type DealStaysWithManager struct{}

// Check refuses with fault.Forbidden.
func (DealStaysWithManager) Check(before, after *deal.State, actor access.Actor) error {
	if after == nil || before != nil && before.UserID == after.UserID {
		return nil
	}
	return refuseGift(after.UserID, actor)
}

func refuseGift(to user.ID, actor access.Actor) error {
	if actor.Role == user.Admin || to == actor.UserID {
		return nil
	}
	return fault.New(fault.Forbidden, "the role %s may not give a record to another user", actor.Role)
}
