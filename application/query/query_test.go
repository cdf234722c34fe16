package query_test

import (
	"context"
	"errors"
	"testing"

	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// totalReader is a reader whose lists have a fixed total.
type totalReader[F any] int64

func (n totalReader[F]) List(context.Context, readmodel.Query[F]) (*readmodel.Rows, error) {
	return &readmodel.Rows{Total: int64(n)}, nil
}

func (totalReader[F]) Export(context.Context, readmodel.Query[F]) (readmodel.Export, error) {
	return nil, errOpened
}

// errOpened is the error of an export that a totalReader was asked for.
var errOpened = errors.New("opened")

func (totalReader[F]) Read(context.Context, int64, *readmodel.Selection) (*readmodel.Rows, error) {
	return nil, fault.New(fault.NotFound, "there is no such record")
}

// recordsUpTo are records with the ids from 1 to n.
type recordsUpTo int64

func (n recordsUpTo) Read(_ context.Context, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	if id > int64(n) {
		return nil, fault.New(fault.NotFound, "there is no such record")
	}
	if s.Type >= len(s.Paths) {
		return nil, errors.New("the type is not selected")
	}
	return readmodel.NewRows(len(s.Paths)), nil
}

func ofClient(ids ...client.ID) readmodel.ContactFilter {
	return readmodel.ContactFilter{ClientIDs: ids}
}

func ofDeal(id deal.ID) readmodel.ContactFilter {
	return readmodel.ContactFilter{DealID: domain.Some(id)}
}

func ofBoth(c client.ID, d deal.ID) readmodel.ContactFilter {
	return readmodel.ContactFilter{ClientIDs: []client.ID{c}, DealID: domain.Some(d)}
}

// contract 3.9
func TestContactListNeedsClientOrDeal(t *testing.T) {
	contacts := query.NewContacts(totalReader[readmodel.ContactFilter](3), recordsUpTo(1), recordsUpTo(1))
	_, err := contacts.List(t.Context(), readmodel.Query[readmodel.ContactFilter]{})
	if f := fault.As(err); f == nil || f.Kind != fault.Malformed || f.Message != "no deal_id or client_id" {
		t.Errorf("got %v", err)
	}
}

// contract 8.7
func TestContactListOfMissingOwnerIsNotFound(t *testing.T) {
	contacts := query.NewContacts(totalReader[readmodel.ContactFilter](0), recordsUpTo(1), recordsUpTo(2))
	for want, filters := range map[bool][]readmodel.ContactFilter{
		true:  {ofClient(1), ofDeal(2), ofBoth(1, 2), ofClient(1, 2), ofClient(2, 1)},
		false: {ofClient(2), ofDeal(3), ofBoth(2, 2), ofBoth(1, 3), ofClient(2, 3)},
	} {
		for _, filter := range filters {
			rows, err := contacts.List(t.Context(), readmodel.Query[readmodel.ContactFilter]{Filter: filter})
			if listed := err == nil && rows.Total == 0; listed != want || !want && !fault.Is(err, fault.NotFound) {
				t.Errorf("%+v: got %v", filter, err)
			}
		}
	}
}

// contract 8.3
func TestContactListWithRowsSkipsTheOwnerCheck(t *testing.T) {
	contacts := query.NewContacts(totalReader[readmodel.ContactFilter](3), recordsUpTo(0), recordsUpTo(0))
	rows, err := contacts.List(t.Context(), readmodel.Query[readmodel.ContactFilter]{Filter: ofClient(1)})
	if err != nil || rows.Total != 3 {
		t.Errorf("got %+v, %v", rows, err)
	}
}

// contract 7.15, 12.9
func TestListOfAMissingOwnerIsNotFound(t *testing.T) {
	for _, c := range []struct {
		total, owner int64
		want         bool
	}{{0, 1, true}, {0, 2, false}, {1, 2, true}} { // with rows, the owner is not looked up
		history := query.NewDealHistory(totalReader[readmodel.DealHistoryFilter](c.total), recordsUpTo(1))
		_, ofDeal := history.List(t.Context(), readmodel.Query[readmodel.DealHistoryFilter]{Filter: readmodel.DealHistoryFilter{DealID: deal.ID(c.owner)}})
		violations := query.NewRuleViolations(totalReader[readmodel.RuleViolationFilter](c.total), recordsUpTo(1))
		_, ofRule := violations.List(t.Context(), readmodel.Query[readmodel.RuleViolationFilter]{Filter: readmodel.RuleViolationFilter{RuleID: ruledef.ID(c.owner)}})
		if fault.Is(ofDeal, fault.NotFound) == c.want || fault.Is(ofRule, fault.NotFound) == c.want {
			t.Errorf("%+v: got %v and %v", c, ofDeal, ofRule)
		}
	}
}

// contract 8.7
func TestExportOfAMissingOwnerIsNotFound(t *testing.T) {
	contacts := query.NewContacts(totalReader[readmodel.ContactFilter](3), recordsUpTo(1), recordsUpTo(2))
	for _, tt := range []struct {
		filter readmodel.ContactFilter
		want   fault.Kind // 0: it is opened
	}{
		{ofClient(1), 0}, {ofDeal(2), 0}, {readmodel.ContactFilter{Ref: "x"}, 0}, {ofClient(2), fault.NotFound}, {ofDeal(3), fault.NotFound},
		{readmodel.ContactFilter{}, fault.Malformed},
	} {
		_, err := contacts.Export(t.Context(), readmodel.Query[readmodel.ContactFilter]{Filter: tt.filter})
		if tt.want == 0 && !errors.Is(err, errOpened) || tt.want != 0 && !fault.Is(err, tt.want) {
			t.Errorf("%+v: %v", tt.filter, err)
		}
	}
	changes := query.NewChanges(totalReader[readmodel.ChangeFilter](1), recordsUpTo(1))
	for id, want := range map[int64]bool{1: true, 2: false} {
		_, err := changes.Export(t.Context(), readmodel.Query[readmodel.ChangeFilter]{Filter: readmodel.ChangeFilter{RecordID: id}})
		if errors.Is(err, errOpened) != want || !want && !fault.Is(err, fault.NotFound) {
			t.Errorf("of record %d: %v", id, err)
		}
	}
}

// contract 8.3
func TestErrorOfAListIsNotThatOfItsOwner(t *testing.T) {
	contacts := query.NewContacts(unreadable[readmodel.ContactFilter]{}, recordsUpTo(0), recordsUpTo(0))
	if _, err := contacts.List(t.Context(), readmodel.Query[readmodel.ContactFilter]{Filter: ofClient(1)}); !errors.Is(err, errDisk) {
		t.Errorf("got %v", err)
	}
	changes := query.NewChanges(unreadable[readmodel.ChangeFilter]{}, recordsUpTo(0))
	if _, err := changes.List(t.Context(), readmodel.Query[readmodel.ChangeFilter]{}); !errors.Is(err, errDisk) {
		t.Errorf("got %v", err)
	}
}

// unreadable is a reader whose lists cannot be read.
type unreadable[F any] struct{ totalReader[F] }

func (unreadable[F]) List(context.Context, readmodel.Query[F]) (*readmodel.Rows, error) {
	return nil, errDisk
}
