package rule

import (
	"context"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/user"
)

// ClientStaysWithManager is the rule that a manager cannot make another user
// responsible for a client, neither on creation nor later. A manager can take
// over clients of others.
type ClientStaysWithManager struct{}

// Name identifies the rule.
func (ClientStaysWithManager) Name() string { return "client-stays-with-manager" }

func (ClientStaysWithManager) asksNoFacts() {}

// Check refuses with fault.Forbidden.
func (ClientStaysWithManager) Check(_ context.Context, c Change[client.State]) error {
	if c.After == nil || c.Before != nil && c.Before.UserID == c.After.UserID {
		return nil
	}
	return refuseGift(c.After.UserID, c.Actor)
}

// DealStaysWithManager is the rule that a manager cannot make another user
// responsible for a deal, neither on creation nor later. A manager can take
// over deals of others, and create an invoice for a client of another user, who
// is then responsible for the deal opened for it.
type DealStaysWithManager struct{}

// Name identifies the rule.
func (DealStaysWithManager) Name() string { return "deal-stays-with-manager" }

func (DealStaysWithManager) asksNoFacts() {}

// Check refuses with fault.Forbidden.
func (DealStaysWithManager) Check(_ context.Context, c Change[deal.State]) error {
	if c.Cause == OpenedForInvoice || c.After == nil || c.Before != nil && c.Before.UserID == c.After.UserID {
		return nil
	}
	return refuseGift(c.After.UserID, c.Actor)
}

func refuseGift(owner user.ID, actor access.Actor) error {
	if actor.IsOperator || actor.Role == user.Admin || owner == actor.UserID {
		return nil
	}
	return fault.New(fault.Forbidden, "the role %s may not give a record to another user", actor.Role)
}
