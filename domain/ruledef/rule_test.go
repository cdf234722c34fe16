package ruledef_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

var (
	monday  = time.Date(2024, 3, 4, 9, 0, 0, 0, time.UTC)
	tuesday = monday.AddDate(0, 0, 1)
)

// required are the attributes that a typed rule must have.
func required() ruledef.Attributes {
	return ruledef.Attributes{
		Name: domain.Some("no-credit"), Resource: domain.Some("deal"), On: domain.Some([]string{"update", "create"}),
		Expression: domain.Some("true"), Message: domain.Some("No credit."),
	}
}

func typed(t *testing.T) *ruledef.Rule {
	t.Helper()
	r, err := ruledef.New(required(), monday)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wrongFields are the names of the fields of the error, sorted.
func wrongFields(err error) (names []string) {
	f := fault.As(err)
	if f == nil {
		return nil
	}
	for _, field := range f.Fields {
		names = append(names, field.Name)
	}
	slices.Sort(names)
	return names
}

func TestNewRuleIsTypedAndInShadowMode(t *testing.T) {
	want := ruledef.State{
		Name: "no-credit", Resource: "deal", On: ruledef.Of(ruledef.Create, ruledef.Update), Expression: "true", Message: "No credit.",
		Mode: ruledef.Shadow, Source: ruledef.Typed, CreatedAt: monday, UpdatedAt: monday,
	}
	if diff := cmp.Diff(want, typed(t).State()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestNewRuleRequiresItsAttributes(t *testing.T) {
	_, err := ruledef.New(ruledef.Attributes{}, monday)
	if diff := cmp.Diff([]string{"expression", "message", "name", "on", "resource"}, wrongFields(err)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// contract 12.3, 12.5
func TestRuleAttributesAreChecked(t *testing.T) {
	for field, wrong := range map[string][]ruledef.Attributes{
		"name":       {{Name: domain.Some("No credit")}, {Name: domain.Some(" ")}},
		"resource":   {{Resource: domain.Some("token")}, {Resource: domain.Some("")}},
		"on":         {{On: domain.Some([]string{})}, {On: domain.Some([]string{"create", "read"})}},
		"expression": {{Expression: domain.Some("")}, {Expression: domain.Some(strings.Repeat("x", ruledef.MaxExpression+1))}},
		"message":    {{Message: domain.Some("")}, {Message: domain.Some(strings.Repeat("x", ruledef.MaxMessage+1))}},
		"field":      {{Field: domain.Some(strings.Repeat("x", ruledef.MaxField+1))}},
		"mode":       {{Mode: domain.Some("")}, {Mode: domain.Some("strict")}},
	} {
		for _, a := range wrong {
			r := typed(t)
			before := r.State()
			if got := wrongFields(r.Update(a, tuesday)); !slices.Equal(got, []string{field}) {
				t.Errorf("%+v is rejected for %q, want %q", a, got, field)
			}
			if !ruledef.Same(r.State(), before) || !ruledef.Same(before.With(a), before) {
				t.Errorf("%+v has changed the rule to %+v", a, r.State())
			}
		}
	}
}

// contract 12.118
func TestVariablesAreChecked(t *testing.T) {
	long := strings.Repeat("x", ruledef.MaxExpression+1)
	for _, c := range []struct {
		sent []ruledef.Variable
		want []string
	}{
		{[]ruledef.Variable{{"", "1"}}, []string{"variables[0].name"}},
		{[]ruledef.Variable{{"a", "1"}, {"b", " "}}, []string{"variables[1].expression"}},
		{[]ruledef.Variable{{"1a", "1"}, {"a-b", "1"}, {"ä", "1"}, {"a b", long}}, []string{"variables[0].name", "variables[1].name", "variables[2].name", "variables[3].expression", "variables[3].name"}},
		{[]ruledef.Variable{{"in", "1"}, {"null", "1"}, {"namespace", "1"}}, []string{"variables[0].name", "variables[1].name", "variables[2].name"}},
		{[]ruledef.Variable{{"a", "1"}, {"b", "1"}, {"a", "2"}}, []string{"variables[2].name"}},
		{[]ruledef.Variable{{strings.Repeat("a", ruledef.MaxName+1), "1"}}, []string{"variables[0].name"}},
		{slices.Repeat([]ruledef.Variable{{"a", "1"}}, 1), nil},
		{[]ruledef.Variable{{"_a1", "1"}, {"B", "variables._a1"}, {"before", "1"}, {"az_AZ09", "1"}}, nil},
		{[]ruledef.Variable{{"0a", "1"}, {"9a", "1"}}, []string{"variables[0].name", "variables[1].name"}},
		{nil, nil},
	} {
		r := typed(t)
		err := r.Update(ruledef.Attributes{Variables: domain.Some(c.sent)}, tuesday)
		if got := wrongFields(err); !slices.Equal(got, c.want) {
			t.Errorf("%v is rejected for %q, want %q", c.sent, got, c.want)
		}
		if err == nil && !slices.Equal(r.State().Variables, c.sent) || err != nil && r.State().Variables != nil {
			t.Errorf("%v are stored as %v", c.sent, r.State().Variables)
		}
	}
	var many []ruledef.Variable
	for i := range ruledef.MaxVariables + 1 {
		many = append(many, ruledef.Variable{Name: fmt.Sprint("v", i), Expression: "1"})
	}
	if got := wrongFields(typed(t).Update(ruledef.Attributes{Variables: domain.Some(many)}, tuesday)); !slices.Equal(got, []string{"variables"}) {
		t.Errorf("%d variables are rejected for %q", len(many), got)
	}
	if err := typed(t).Update(ruledef.Attributes{Variables: domain.Some(many[:ruledef.MaxVariables])}, tuesday); err != nil {
		t.Errorf("%d variables: %v", ruledef.MaxVariables, err)
	}
}

func TestRuleUpdateChangesWhatIsSent(t *testing.T) {
	variables := []ruledef.Variable{{Name: "total", Expression: "1"}}
	for _, tt := range []struct {
		sent ruledef.Attributes
		want func(*ruledef.State)
	}{
		{ruledef.Attributes{Name: domain.Some("credit")}, func(s *ruledef.State) { s.Name = "credit" }},
		{ruledef.Attributes{Resource: domain.Some("user")}, func(s *ruledef.State) { s.Resource = "user" }},
		{ruledef.Attributes{On: domain.Some([]string{"delete"})}, func(s *ruledef.State) { s.On = ruledef.Of(ruledef.Delete) }},
		{ruledef.Attributes{Variables: domain.Some(variables)}, func(s *ruledef.State) { s.Variables = variables }},
		{ruledef.Attributes{Expression: domain.Some("false")}, func(s *ruledef.State) { s.Expression = "false" }},
		{ruledef.Attributes{Message: domain.Some("No.")}, func(s *ruledef.State) { s.Message = "No." }},
		{ruledef.Attributes{Field: domain.Some("name")}, func(s *ruledef.State) { s.Field = "name" }},
		{ruledef.Attributes{Mode: domain.Some("off")}, func(s *ruledef.State) { s.Mode = ruledef.Off }},
		{ruledef.Attributes{Mode: domain.Some("enforce")}, func(s *ruledef.State) { s.Mode = ruledef.Enforce }},
	} {
		r := typed(t)
		want := r.State()
		tt.want(&want)
		if got := r.State().With(tt.sent); !ruledef.Same(got, want) {
			t.Errorf("%+v: it would be %+v, want %+v", tt.sent, got, want)
		}
		if err := r.Update(tt.sent, tuesday); err != nil {
			t.Fatal(err)
		}
		want.UpdatedAt = tuesday
		if got := r.State(); !ruledef.Same(got, want) {
			t.Errorf("%+v: it is %+v, want %+v", tt.sent, got, want)
		}
	}
}

func TestRuleUpdateWithoutAChangeKeepsItsTime(t *testing.T) {
	r := typed(t)
	if err := r.Update(required(), tuesday); err != nil {
		t.Fatal(err)
	}
	if got := r.State().UpdatedAt; got != monday {
		t.Errorf("it is updated at %s, want %s", got, monday)
	}
}

func TestCompiledRuleChangesItsModeOnly(t *testing.T) {
	compiled := func() *ruledef.Rule { return ruledef.Compiled("late-payers", "invoice", ruledef.Warn, monday) }
	same := ruledef.Attributes{
		Name: domain.Some("late-payers"), Resource: domain.Some("invoice"), On: domain.Some([]string{"create", "update", "delete"}),
		Expression: domain.Some(""), Message: domain.Some(""), Field: domain.Some(""), Mode: domain.Some("enforce"),
	}
	r := compiled()
	if err := r.Update(same, tuesday); err != nil {
		t.Fatal(err)
	}
	want := ruledef.State{
		Name: "late-payers", Resource: "invoice", On: ruledef.Of(ruledef.Create, ruledef.Update, ruledef.Delete), Mode: ruledef.Enforce,
		Source: ruledef.Program, CreatedAt: monday, UpdatedAt: tuesday,
	}
	if diff := cmp.Diff(want, ruledef.Restore(r.State()).State()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for field, a := range map[string]ruledef.Attributes{
		"name":       {Name: domain.Some("early-payers")},
		"resource":   {Resource: domain.Some("deal")},
		"on":         {On: domain.Some([]string{"create"})},
		"variables":  {Variables: domain.Some([]ruledef.Variable{{Name: "a", Expression: "1"}})},
		"expression": {Expression: domain.Some("true")},
		"message":    {Message: domain.Some("No.")},
		"field":      {Field: domain.Some("paid")},
	} {
		r := compiled()
		if got := wrongFields(r.Update(a, tuesday)); !slices.Equal(got, []string{field}) || !ruledef.Same(r.State(), compiled().State()) {
			t.Errorf("%+v is rejected for %q, want %q; the rule is %+v", a, got, field, r.State())
		}
		if field == "on" {
			continue
		}
		if _, err := compiled().State().Tried(a); !slices.Equal(wrongFields(err), []string{field}) {
			t.Errorf("a trial with %+v is rejected with %v, want one for %q", a, err, field)
		}
	}
}

func TestTriedRuleHasTheAttributesOfTheTrial(t *testing.T) {
	compiled := ruledef.Compiled("late-payers", "invoice", ruledef.Warn, monday).State()
	got, err := compiled.Tried(ruledef.Attributes{On: domain.Some([]string{"create"})})
	compiled.On = ruledef.Of(ruledef.Create)
	if diff := cmp.Diff(compiled, got); diff != "" || err != nil {
		t.Errorf("%v: -want +got\n%s", err, diff)
	}
	stored := typed(t).State()
	got, err = stored.Tried(ruledef.Attributes{Message: domain.Some("Never.")})
	stored.Message = "Never."
	if diff := cmp.Diff(stored, got); diff != "" || err != nil {
		t.Errorf("%v: -want +got\n%s", err, diff)
	}
	if _, err = stored.Tried(ruledef.Attributes{Message: domain.Some("")}); !slices.Equal(wrongFields(err), []string{"message"}) {
		t.Errorf("without a message it is rejected with %v", err)
	}
}
