package command_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// asking compiles rules with the expressions "true", "false", and "asks" or "asks or true",
// which need a fact.
type asking struct{ expression string }

func (asking) Compile(s ruledef.State) (rule.Expression, error) {
	if !slices.Contains([]string{"true", "false", "asks", "asks or true"}, s.Expression) {
		return nil, fault.ForField(fault.Invalid, "compiled", "makes no sense")
	}
	return asking{s.Expression}, nil
}

func (asking) Facts() repository.FactKinds { return repository.FactsOf(repository.DealsOfUser) }

func (a asking) Judge(_ context.Context, in rule.Input) rule.Judgement {
	question := repository.Question{Kind: repository.DealsOfUser, ID: 1}
	if _, ok := in.Fact(question); strings.HasPrefix(a.expression, "asks") && !ok {
		return rule.Judgement{Missing: []repository.Question{question}}
	}
	return rule.Judgement{Passes: strings.HasSuffix(a.expression, "true"), Message: "it is false"}
}

// ruleBook is the stored rules of an office whose program contains four rules: "recorded" is always
// enforced, "recorded-deals" begins in the mode shadow, "recorded-contacts" is not stored yet, and
// the name of "recorded-invoices" belongs to a typed rule. Stored are also the rule "elsewhere" of
// another program, and the typed rule "broken", whose expression does not compile.
type ruleBook struct {
	*office
	rules *command.Rules
	ids   map[string]ruledef.ID
}

func openRules(t *testing.T) *ruleBook {
	t.Helper()
	o := open(t)
	r, err := rule.NewRegistry(asking{}, nil,
		rule.Clients.Rules(&recorded[client.State]{}),
		rule.Deals.Rules(&shadowed[deal.State]{recorded[deal.State]{name: "-deals", verdict: forbidden()}}),
		rule.Contacts.Rules(&recorded[contact.State]{name: "-contacts"}),
		rule.Invoices.Rules(&recorded[invoice.State]{name: "-invoices"}))
	if err != nil {
		t.Fatal(err)
	}
	o.deals = command.NewDeals(o.store, o.clock, r)
	b := &ruleBook{o, command.NewRules(o.store, o.clock, r), map[string]ruledef.ID{}}
	fixture.Do(t, o.store, 0, func(ctx context.Context, s repository.Stores) (err error) {
		for _, stored := range []*ruledef.Rule{
			ruledef.Compiled("recorded", "client", ruledef.Enforce, fixture.At),
			ruledef.Compiled("recorded-deals", "deal", ruledef.Shadow, fixture.At),
			ruledef.Compiled("elsewhere", "deal", ruledef.Enforce, fixture.At),
			fixture.Must(ruledef.New(typedRule("recorded-invoices", "wrong"), fixture.At)),
			fixture.Must(ruledef.New(typedRule("broken", "wrong"), fixture.At)),
		} {
			if b.ids[stored.State().Name], err = s.Rules.Add(ctx, stored); err != nil {
				return err
			}
		}
		return nil
	})
	return b
}

func typedRule(name, expression string) ruledef.Attributes {
	return ruledef.Attributes{
		Name: domain.Some(name), Resource: domain.Some("client"), On: domain.Some([]string{"create"}),
		Expression: domain.Some(expression), Message: domain.Some("no"), Mode: domain.Some("shadow"),
	}
}

// contract 12.3, 12.1, 12.5
func TestTypedRuleMustFitTheProgram(t *testing.T) {
	t.Parallel()
	b := openRules(t)
	none := domain.Some("")
	for _, c := range []struct {
		change func(a *ruledef.Attributes)
		wrong  []string
	}{
		{func(*ruledef.Attributes) {}, []string{"compiled"}},
		{func(a *ruledef.Attributes) { a.Name = domain.Some("recorded") }, []string{"name", "compiled"}},
		{func(a *ruledef.Attributes) { a.Expression = none }, []string{"expression", "compiled"}},
		{func(a *ruledef.Attributes) { a.Resource = none }, []string{"resource", "compiled"}},
		{func(a *ruledef.Attributes) { a.On = domain.Some([]string{}) }, []string{"on", "compiled"}},
	} {
		a := typedRule("new", "wrong")
		c.change(&a)
		_, err := b.rules.Create(t.Context(), b.admin(), a)
		rejected(t, err, fault.Invalid, c.wrong...)
	}
	done[ruledef.ID](t)(b.rules.Create(t.Context(), b.admin(), typedRule("new", "true")))
}

// contract 12.11, 12.13
func TestRuleUpdateMustFitTheProgram(t *testing.T) {
	t.Parallel()
	mode := func(m string) ruledef.Attributes { return ruledef.Attributes{Mode: domain.Some(m)} }
	name := func(n string) ruledef.Attributes { return ruledef.Attributes{Name: domain.Some(n)} }
	for _, c := range []struct {
		rule  string
		a     ruledef.Attributes
		wrong []string
	}{
		{"recorded", mode("enforce"), nil},
		{"recorded", mode("warn"), []string{"mode"}},
		{"recorded-deals", mode("warn"), nil},
		{"elsewhere", mode("enforce"), nil},
		{"elsewhere", mode("warn"), []string{"mode"}},
		{"recorded-invoices", mode("off"), nil},
		{"broken", mode("off"), nil},
		{"broken", mode("warn"), []string{"compiled"}},
		{"broken", name("other"), nil},
		{"broken", name("recorded"), []string{"name"}},
		{"broken", ruledef.Attributes{Expression: domain.Some("true")}, nil},
	} {
		b := openRules(t)
		err := b.rules.Update(t.Context(), b.admin(), b.ids[c.rule], c.a)
		if c.wrong != nil {
			rejected(t, err, fault.Invalid, c.wrong...)
		} else if err != nil {
			t.Errorf("%s: %+v is rejected: %v", c.rule, c.a, err)
		}
	}
}

// contract 12.9
func TestViolationsAreDeletedInTheExpectedVersionOfTheirRule(t *testing.T) {
	t.Parallel()
	b := openRules(t)
	done[deal.ID](t)(b.deals.Create(t.Context(), b.manager(), fixture.Deal(0, 0)))
	rejected(t, b.rules.DeleteViolations(t.Context(), b.admin(), nowhere), fault.NotFound)
	rejected(t, b.rules.DeleteViolations(t.Context(), expecting(b.admin(), 77), b.ids["recorded-deals"]), fault.Stale)
	expect(t, 1, len(b.violations()))
	succeed(t, b.rules.DeleteViolations(t.Context(), expecting(b.admin(), 1), b.ids["recorded-deals"]))
	expect(t, 0, len(b.violations()))
}

// contract 12.13
func TestRuleIsDeletedUnlessTheProgramContainsIt(t *testing.T) {
	t.Parallel()
	b := openRules(t)
	for name, id := range b.ids {
		err := b.rules.Delete(t.Context(), b.admin(), id)
		if needed := name == "recorded" || name == "recorded-deals"; fault.Is(err, fault.Conflict) != needed {
			t.Errorf("the deletion of %s ended with %v", name, err)
		}
	}
}

// contract 12.12, 12.14
func TestProgramRegistersItsMissingRules(t *testing.T) {
	t.Parallel()
	b := openRules(t)
	for range 2 {
		diverging := done[command.Divergence](t)(b.rules.Register(t.Context()))
		if len(diverging.Missing) != 1 || diverging.Missing[0].Name != "elsewhere" || len(diverging.Clashes) != 1 || diverging.Clashes[0].Name != "recorded-invoices" {
			t.Errorf("the program and the stored rules differ in %+v", diverging)
		}
		fixture.Do(t, b.store, 0, func(_ context.Context, s repository.Stores) error {
			var names []string
			for _, stored := range s.Rules.Set().Rules {
				names = append(names, stored.Source.String()+" "+stored.Name)
			}
			expect(t, []string{
				"typed broken", "program elsewhere", "program recorded", "program recorded-contacts", "program recorded-deals", "typed recorded-invoices",
			}, names)
			return nil
		})
	}
}
