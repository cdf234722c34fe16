package rule_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
)

// says is a rule that has made up its mind.
type says struct {
	name string
	err  error
}

func (s says) Name() string                                         { return s.name }
func (s says) Check(context.Context, rule.Change[deal.State]) error { return s.err }

var wrong = fault.ForField(fault.Invalid, "a", "is wrong")

func TestRuleSetJoinsTheRefusalsOfAllRules(t *testing.T) {
	forbidden := fault.New(fault.Forbidden, "not you")
	for name, c := range map[string]struct {
		rules  []rule.Rule[deal.State]
		kind   fault.Kind // 0: no refusal
		fields []fault.Field
	}{
		"no rules at all": {nil, 0, nil},
		"none refuses":    {[]rule.Rule[deal.State]{says{"one", nil}, says{"two", nil}}, 0, nil},
		"one refuses": {
			[]rule.Rule[deal.State]{says{"one", nil}, says{"two", wrong}}, fault.Invalid,
			[]fault.Field{{Name: "a", Message: "is wrong", Rule: "two"}},
		},
		"several refuse the same field": {
			[]rule.Rule[deal.State]{says{"one", wrong}, says{"two", wrong}}, fault.Invalid,
			[]fault.Field{{Name: "a", Message: "is wrong", Rule: "one"}, {Name: "a", Message: "is wrong", Rule: "two"}},
		},
		"a right comes before a value": {
			[]rule.Rule[deal.State]{says{"one", wrong}, says{"two", forbidden}}, fault.Forbidden,
			[]fault.Field{{Message: "not you", Rule: "two"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			verdicts, err := checkDeal(t, c.rules...)
			if len(verdicts) != len(c.rules) {
				t.Errorf("there are %d verdicts of %d rules", len(verdicts), len(c.rules))
			}
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
			if diff := cmp.Diff(c.fields, f.Fields); diff != "" {
				t.Errorf("the fields: -want +got\n%s", diff)
			}
		})
	}
}

// adjustable is a rule that refuses in the mode that it begins with.
type adjustable struct {
	says
	mode ruledef.Mode
}

func (a adjustable) DefaultMode() ruledef.Mode { return a.mode }

func TestCompiledRuleRefusesInTheModeEnforceOnly(t *testing.T) {
	for _, c := range []struct {
		rule    rule.Rule[deal.State]
		stored  ruledef.Mode // 0: none
		mode    ruledef.Mode // 0: not asked
		refuses bool
	}{
		{says{"it", wrong}, ruledef.Off, ruledef.Enforce, true}, // its mode cannot be changed
		{adjustable{says{"it", wrong}, ruledef.Shadow}, 0, ruledef.Shadow, false},
		{adjustable{says{"it", wrong}, ruledef.Shadow}, ruledef.Enforce, ruledef.Enforce, true},
		{adjustable{says{"it", wrong}, ruledef.Enforce}, ruledef.Warn, ruledef.Warn, false},
		{adjustable{says{"it", wrong}, ruledef.Enforce}, ruledef.Off, 0, false},
	} {
		var stored repository.RuleSet
		if c.stored != 0 {
			stored.Rules = []ruledef.State{{ID: 7, Name: "it", Resource: "deal", Mode: c.stored, Source: ruledef.Program}}
		}
		var verdicts []rule.Verdict
		rules := registryOf(t, rule.Deals.Rules(c.rule, says{name: "next"}))
		err := rule.Deals.Check(t.Context(), setOf(t, rules, stored), nil, rule.Change[deal.State]{After: &deal.State{}}, &verdicts)
		if (err != nil) != c.refuses {
			t.Errorf("%+v: the error is %v", c, err)
		}
		modes := map[string]ruledef.Mode{}
		for _, v := range verdicts {
			modes[v.Rule] = v.Mode
		}
		if modes["it"] != c.mode || modes["next"] != ruledef.Enforce {
			t.Errorf("%+v: they were asked in the modes %v", c, modes)
		}
	}
}

func TestRegistryRejectsWrongNames(t *testing.T) {
	for _, c := range []struct{ first, second string }{{"a", "a"}, {"a", ""}, {"a", "A"}, {"a", "b c"}, {"a", strings.Repeat("b", 65)}} {
		if _, err := rule.NewRegistry(nil, nil, rule.Deals.Rules(says{name: c.first}), rule.Deals.Rules(says{name: c.second})); err == nil {
			t.Errorf("%q and %q are accepted", c.first, c.second)
		}
		if _, err := rule.NewRegistry(nil, nil, rule.Deals.Rules(says{name: c.first}), rule.Deals.Reactions(reacts{says{name: c.second}})); err == nil {
			t.Errorf("%q and a reaction %q are accepted", c.first, c.second)
		}
	}
	if r := registryOf(t, rule.Deals.Reactions(reacts{says{name: "a"}})); len(rule.Deals.ReactionsOf(r)) != 1 {
		t.Error("a reaction is not registered")
	}
}

// reacts is a reaction that does nothing.
type reacts struct{ says }

func (reacts) React(context.Context, rule.Change[deal.State], rule.Actions) error { return nil }

// expression is a typed rule that asks for facts one after another.
type expression struct {
	asks   []repository.Question
	inTurn bool        // each only after the one before
	judged *rule.Input // the last one, if it is to be kept
}

func (e expression) Facts() (kinds repository.FactKinds) {
	for _, q := range e.asks {
		kinds |= repository.FactsOf(q.Kind)
	}
	return kinds
}

func (e expression) Judge(_ context.Context, in rule.Input) (j rule.Judgement) {
	if e.judged != nil {
		*e.judged = in
	}
	for _, q := range e.asks {
		if a, ok := in.Fact(q); !ok {
			j.Missing = append(j.Missing, q)
			if e.inTurn {
				break
			}
		} else if a.Count > 0 {
			return rule.Judgement{Message: "has facts"}
		}
	}
	j.Passes = true
	return j
}

// compiler compiles rules by their expressions.
type compiler map[string]expression

func (c compiler) Compile(r ruledef.State) (rule.Expression, error) {
	e, ok := c[r.Expression]
	if !ok {
		return nil, fault.ForField(fault.Invalid, "expression", "is none")
	}
	return e, nil
}

// answers counts round trips, of which there may be twenty.
type answers struct {
	repository.Facts
	free, locked int
	count        int // of each answer
}

func (a *answers) Answer(_ context.Context, q []repository.Question) ([]repository.Answer, error) {
	a.free++
	return a.all(q), nil
}

func (a *answers) AnswerLocked(_ context.Context, q []repository.Question) ([]repository.Answer, error) {
	a.locked++
	return a.all(q), nil
}

func (a *answers) all(q []repository.Question) []repository.Answer {
	if a.free+a.locked > 20 {
		panic("questions are asked without end")
	}
	all := make([]repository.Answer, len(q))
	for i := range all {
		all[i].Count = a.count
	}
	return all
}

func TestNoFactsAreReadForAnAbsentRecord(t *testing.T) {
	a := &answers{}
	facts := rule.NewFacts(a)
	for id, want := range []int{0, 2} { // a client and its party are one question
		for _, ask := range []func() error{
			func() error { _, err := facts.Client(t.Context(), client.ID(id)); return err },
			func() error { _, err := facts.ClientParty(t.Context(), client.ID(id)); return err },
			func() error { _, err := facts.User(t.Context(), user.ID(id)); return err },
		} {
			if err := ask(); err != nil {
				t.Error(err)
			}
		}
		if a.locked != want {
			t.Errorf("%d questions are asked about the id %d, want %d", a.locked, id, want)
		}
	}
}

func TestRefusalNamesARecordBesideTheRequest(t *testing.T) {
	for cause, want := range map[rule.Cause]string{rule.Requested: "", rule.Requested + 1: "deal"} {
		var verdicts []rule.Verdict
		change := rule.Change[deal.State]{After: &deal.State{ID: 7}, Cause: cause}
		set := setOf(t, registryOf(t, rule.Deals.Rules(says{"it", wrong})), repository.RuleSet{})
		f := fault.As(rule.Deals.Check(t.Context(), set, nil, change, &verdicts))
		if f == nil || f.Fields[0].Resource != want || (f.Fields[0].RecordID == 7) != (want != "") {
			t.Errorf("caused by %v: %+v", cause, f)
		}
	}
}

func TestTypedRulesAskTheirFactsInOneRoundTrip(t *testing.T) {
	q := func(id int64) repository.Question {
		return repository.Question{Kind: repository.UnpaidInvoicesOfClient, ID: id}
	}
	r, err := rule.NewRegistry(compiler{"one": {asks: []repository.Question{q(1), q(2)}}, "two": {asks: []repository.Question{q(2), q(3)}}, "free": {asks: []repository.Question{q(1)}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	typed := func(expression string, m ruledef.Mode) ruledef.State {
		return ruledef.State{Name: expression, Resource: "deal", On: ruledef.Of(ruledef.Create), Expression: expression, Field: "name", Mode: m, Source: ruledef.Typed}
	}
	set := setOf(t, r, repository.RuleSet{Version: 1, Rules: []ruledef.State{typed("free", ruledef.Shadow), typed("none", ruledef.Warn), typed("one", ruledef.Enforce), typed("two", ruledef.Enforce)}})
	facts := &answers{}
	var verdicts []rule.Verdict
	err = rule.Deals.Check(t.Context(), set, facts, rule.Change[deal.State]{After: &deal.State{}}, &verdicts)
	if err != nil || facts.locked != 1 || facts.free != 0 {
		t.Errorf("%v after %d locked round trips and %d others, want one", err, facts.locked, facts.free)
	}
	var outcomes []string
	for _, v := range verdicts {
		outcomes = append(outcomes, v.Rule+" "+v.Outcome.String())
	}
	if diff := cmp.Diff([]string{"one passed", "two passed", "free passed", "none failed"}, outcomes); diff != "" {
		t.Errorf("the verdicts: -want +got\n%s", diff)
	}
	err = rule.Deals.Check(t.Context(), set, &answers{count: 1}, rule.Change[deal.State]{After: &deal.State{}}, &verdicts)
	want := []fault.Field{{Name: "name", Message: "has facts", Rule: "one"}, {Name: "name", Message: "has facts", Rule: "two"}}
	if diff := cmp.Diff(want, fault.As(err).Fields); diff != "" {
		t.Errorf("the fields: -want +got\n%s", diff)
	}
	unasked := &answers{}
	verdicts = nil
	if _ = rule.Deals.Check(t.Context(), set, unasked, rule.Change[deal.State]{Before: &deal.State{}}, &verdicts); len(verdicts) != 0 || unasked.locked != 0 {
		t.Errorf("a deletion was judged by rules for creations: %v", verdicts)
	}
}

func TestLinesAreThoseOfTheWholeInvoice(t *testing.T) {
	line := func(id invoice.LineID, name string) invoice.Line { return invoice.Line{ID: id, Name: name} }
	stored := []invoice.Line{line(1, "a"), line(2, "b"), line(3, "c")}
	for name, c := range map[string]struct {
		before, after *invoice.State
		want          []string
	}{
		"a new invoice":  {nil, &invoice.State{TotalCount: 1, Lines: []invoice.Line{line(0, "x")}}, []string{"x"}},
		"a changed line": {&invoice.State{Lines: stored[1:2]}, &invoice.State{TotalCount: 3, Lines: []invoice.Line{line(2, "B")}}, []string{"a", "B", "c"}},
		"a removed line": {&invoice.State{Lines: stored[1:2]}, &invoice.State{TotalCount: 2}, []string{"a", "c"}},
		"an added line":  {&invoice.State{}, &invoice.State{TotalCount: 4, Lines: []invoice.Line{line(0, "x")}}, []string{"a", "b", "c", "x"}},
		"a deletion":     {&invoice.State{Lines: stored}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			lines, err := rule.Lines(t.Context(), rule.Change[invoice.State]{Before: c.before, After: c.after, Facts: rule.NewFacts(storedLines{lines: stored})})
			var names []string
			for _, l := range lines {
				names = append(names, l.Name)
			}
			if diff := cmp.Diff(c.want, names); diff != "" || err != nil {
				t.Errorf("%v: -want +got\n%s", err, diff)
			}
		})
	}
}

type storedLines struct {
	repository.Facts
	lines []invoice.Line
}

func (s storedLines) AnswerLocked(_ context.Context, q []repository.Question) ([]repository.Answer, error) {
	return []repository.Answer{{Lines: s.lines}}[:len(q)], nil
}

func registryOf(t *testing.T, options ...rule.Option) *rule.Registry {
	t.Helper()
	r, err := rule.NewRegistry(nil, nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func checkDeal(t *testing.T, rules ...rule.Rule[deal.State]) (verdicts []rule.Verdict, err error) {
	t.Helper()
	err = rule.Deals.Check(t.Context(), setOf(t, registryOf(t, rule.Deals.Rules(rules...)), repository.RuleSet{}), nil, rule.Change[deal.State]{After: &deal.State{}}, &verdicts)
	return verdicts, err
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
			clients := rule.ClientStaysWithManager{}.Check(t.Context(), rule.Change[client.State]{
				Before: clientOf(c.before), After: clientOf(c.after), Actor: actor, Cause: rule.Requested,
			})
			deals := rule.DealStaysWithManager{}.Check(t.Context(), rule.Change[deal.State]{
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

// contract 5.16
func TestDealStaysWithManagerAllowsADealOpenedForAnInvoice(t *testing.T) {
	manager := access.Actor{UserID: 1, Role: user.Manager}
	err := rule.DealStaysWithManager{}.Check(t.Context(), rule.Change[deal.State]{After: dealOf(2), Actor: manager, Cause: rule.OpenedForInvoice})
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

func TestConcernsLinesOfAnInvoiceThatStays(t *testing.T) {
	with, without := &invoice.State{Lines: []invoice.Line{{ID: 1}}}, &invoice.State{TotalCount: 1}
	for name, c := range map[string]struct {
		before, after *invoice.State
		want          bool
	}{
		"a new invoice with lines":    {nil, with, true},
		"a new invoice without lines": {nil, without, false},
		"a line is added":             {without, with, true},
		"a line is removed":           {with, without, true},
		"the header changes":          {without, without, false},
		"it is deleted":               {with, nil, false},
	} {
		if got := rule.ConcernsLines(rule.Change[invoice.State]{Before: c.before, After: c.after}); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
