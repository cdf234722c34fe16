package rule_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/user"
)

// says is a rule that has made up its mind.
type says struct{ err error }

func (s says) Check(rule.Change[string]) error { return s.err }

func field(name string) error { return fault.ForField(fault.Invalid, name, "is wrong") }

func TestRuleSetJoinsTheRefusalsOfAllRules(t *testing.T) {
	broken := errors.New("the rule itself is broken")
	forbidden := fault.New(fault.Forbidden, "not you")
	for name, c := range map[string]struct {
		rules  rule.Set[string]
		kind   fault.Kind // 0: no refusal
		fields []string
	}{
		"no rules at all":              {rule.Set[string]{}, 0, nil},
		"none objects":                 {rule.Set[string]{says{}, says{}}, 0, nil},
		"one objects":                  {rule.Set[string]{says{}, says{field("a")}}, fault.Invalid, []string{"a"}},
		"several object":               {rule.Set[string]{says{field("b")}, says{}, says{field("a")}}, fault.Invalid, []string{"b", "a"}},
		"a right comes before a value": {rule.Set[string]{says{field("a")}, says{forbidden}}, fault.Forbidden, nil},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.rules.Check(rule.Change[string]{})
			if c.kind == 0 {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			f := fault.As(err)
			if f == nil || f.Kind != c.kind {
				t.Fatalf("it ended with %v, want a refusal: %s", err, c.kind)
			}
			var names []string
			for _, field := range f.Fields {
				names = append(names, field.Name)
			}
			if diff := cmp.Diff(c.fields, names); diff != "" {
				t.Errorf("the fields: -want +got\n%s", diff)
			}
		})
	}
	if err := (rule.Set[string]{says{field("a")}, says{broken}}).Check(rule.Change[string]{}); !errors.Is(err, broken) {
		t.Errorf("the error of a failed rule is %v, want %v", err, broken)
	}
}

// contract 5.16
func TestManagerCannotGiveRecordsAway(t *testing.T) {
	const me, you user.ID = 1, 2
	for name, c := range map[string]struct {
		role          user.Role
		before, after user.ID // 0: no record
		forbidden     bool
	}{
		"a manager keeps a new record":                    {user.Manager, 0, me, false},
		"a manager gives a new record away":               {user.Manager, 0, you, true},
		"a manager gives his own away":                    {user.Manager, me, you, true},
		"a manager gives another's to a third":            {user.Manager, you, 3, true},
		"a manager takes another's over":                  {user.Manager, you, me, false},
		"a manager leaves another's with him":             {user.Manager, you, you, false},
		"a manager deletes another's":                     {user.Manager, you, 0, false},
		"an admin gives a new record away":                {user.Admin, 0, you, false},
		"an admin gives a manager's to another":           {user.Admin, you, 3, false},
		"an actor without a role gives a new record away": {0, 0, you, true},
	} {
		t.Run(name, func(t *testing.T) {
			actor := access.Actor{UserID: me, Role: c.role}
			clients := rule.ClientStaysWithManager{}.Check(rule.Change[client.State]{
				Before: clientOf(c.before), After: clientOf(c.after), Actor: actor, Cause: rule.Requested,
			})
			deals := rule.DealStaysWithManager{}.Check(rule.Change[deal.State]{
				Before: dealOf(c.before), After: dealOf(c.after), Actor: actor, Cause: rule.Requested,
			})
			for what, err := range map[string]error{"client": clients, "deal": deals} {
				if c.forbidden != fault.Is(err, fault.Forbidden) || !c.forbidden && err != nil {
					t.Errorf("a %s: %v, want it forbidden: %v", what, err, c.forbidden)
				}
			}
		})
	}
}

// contract 5.17
func TestDealStaysWithManagerAllowsADealOpenedForAnInvoice(t *testing.T) {
	manager := access.Actor{UserID: 1, Role: user.Manager}
	err := rule.DealStaysWithManager{}.Check(rule.Change[deal.State]{After: dealOf(2), Actor: manager, Cause: rule.OpenedForInvoice})
	if err != nil {
		t.Errorf("refused: %v", err)
	}
}

func clientOf(id user.ID) *client.State {
	if id == 0 {
		return nil
	}
	return &client.State{UserID: id}
}

func dealOf(id user.ID) *deal.State {
	if id == 0 {
		return nil
	}
	return &deal.State{UserID: id}
}
