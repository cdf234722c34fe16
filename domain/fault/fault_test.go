package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain/fault"
)

func TestErrorTextHasKindMessageAndCause(t *testing.T) {
	e := fault.New(fault.Conflict, "client %d has deals", 7)
	if got, want := e.Error(), "conflict: client 7 has deals"; got != want {
		t.Errorf("without cause: %q, want %q", got, want)
	}
	cause := errors.New("foreign key")
	caused := e.WithCause(cause)
	if got, want := caused.Error(), "conflict: client 7 has deals: foreign key"; got != want {
		t.Errorf("with cause: %q, want %q", got, want)
	}
	if !errors.Is(caused, cause) {
		t.Error("the cause is not in the chain")
	}
	if e.Cause != nil {
		t.Error("Because changed the error that it was called on")
	}
}

func TestNamedAddsTheRecordToARejection(t *testing.T) {
	rejection, broken := fault.New(fault.Conflict, "has deals"), errors.New("disk full")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{rejection, "conflict: mira: has deals"},
		{fmt.Errorf("deleting: %w", rejection), "conflict: mira: has deals"},
		{broken, "disk full"},
		{nil, "<nil>"},
	} {
		if got := fmt.Sprint(fault.Named(tt.err, "mira")); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.err, got, tt.want)
		}
	}
	if rejection.Message != "has deals" {
		t.Error("Named changed the error that it was called with")
	}
}

func TestErrorByRuleNamesTheRuleInEachField(t *testing.T) {
	for name, c := range map[string]struct {
		of   *fault.Error
		want []fault.Field
	}{
		"with fields": {
			fault.As(fault.ForFields(fault.Invalid, fault.Field{Name: "a", Message: "is bad"}, fault.Field{Name: "b", Message: "is worse"})),
			[]fault.Field{{Name: "a", Message: "is bad", Rule: "strict"}, {Name: "b", Message: "is worse", Rule: "strict"}},
		},
		"without fields": {
			fault.New(fault.Invalid, "it is late"),
			[]fault.Field{{Message: "it is late", Rule: "strict"}},
		},
	} {
		before := len(c.of.Fields)
		if diff := cmp.Diff(c.want, c.of.ByRule("strict").Fields); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		if len(c.of.Fields) != before || before > 0 && c.of.Fields[0].Rule != "" {
			t.Errorf("%s: ByRule changed the error that it was called on", name)
		}
	}
}

func TestErrorIsFoundInsideOtherErrors(t *testing.T) {
	wrapped := fmt.Errorf("saving: %w", fault.New(fault.Stale, "old"))
	if !fault.Is(wrapped, fault.Stale) {
		t.Error("the kind of a wrapped rejection is not seen")
	}
	if fault.Is(wrapped, fault.Invalid) {
		t.Error("a rejection is of a kind that it is not")
	}
	for _, err := range []error{nil, errors.New("disk full")} {
		if fault.As(err) != nil || fault.Is(err, 0) {
			t.Errorf("%v passes for a rejection", err)
		}
	}
}

func TestKindsHaveDistinctNames(t *testing.T) {
	seen := map[string]bool{fault.Kind(0).String(): true}
	for k := fault.Unauthenticated; k <= fault.OutcomeUnknown; k++ {
		if seen[k.String()] {
			t.Errorf("kind %d is called %q, as another is", k, k)
		}
		seen[k.String()] = true
	}
	if got := (fault.OutcomeUnknown + 1).String(); got != "unknown" {
		t.Errorf("a kind that does not exist is called %q", got)
	}
}

func TestCollectorReportsAllWrongFieldsAtOnce(t *testing.T) { // contract 3.3
	var c fault.Collector
	if err := c.Err(); err != nil {
		t.Fatalf("nothing recorded, yet: %v", err)
	}
	c.Add("name", "is required")
	c.Add("items[1].count", "must be below %d", 10)
	want := &fault.Error{
		Kind:    fault.Invalid,
		Message: "name is required; items[1].count must be below 10",
		Fields:  []fault.Field{{Name: "name", Message: "is required"}, {Name: "items[1].count", Message: "must be below 10"}},
	}
	if diff := cmp.Diff(want, fault.As(c.Err())); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestCollectorKeepsTheFirstCodeOfAField(t *testing.T) {
	var c fault.Collector
	c.Coded(fault.Required, "name", "is required")
	c.Coded(fault.TooLong, "name", "is too long")
	c.Coded(fault.OutOfRange, "digits", "must be 2 or 4")
	want := []fault.Field{
		{Name: "name", Message: "is required", Code: fault.Required}, {Name: "digits", Message: "must be 2 or 4", Code: fault.OutOfRange},
	}
	if diff := cmp.Diff(want, fault.As(c.Err()).Fields); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// contract 3.3
func TestMessageOfARuleIsKeptApartFromItsField(t *testing.T) {
	err := fault.ForFields(fault.Invalid, fault.Field{Name: "number", Message: "another one has it", Rule: "r"}, fault.Field{Message: "no", Rule: "r"})
	if got, want := fault.As(err).Message, "number: another one has it; no"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestErrorMessageKeepsPercentSigns(t *testing.T) {
	err := fault.ForFields(fault.Invalid, fault.Field{Name: "vat_percent", Message: "is 100%d"})
	if got, want := err.Error(), "invalid: vat_percent is 100%d"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestJoin(t *testing.T) {
	broken := errors.New("disk full")
	for _, tt := range []struct {
		name string
		errs []error
		want string
	}{
		{"nothing is nothing", nil, "<nil>"},
		{"nils are nothing", []error{nil, nil}, "<nil>"},
		{
			"one rejection stays unchanged",
			[]error{nil, fault.New(fault.Conflict, "in use")},
			"conflict: in use",
		},
		{
			"fields of one kind come together",
			[]error{fault.ForField(fault.Invalid, "a", "is bad"), fault.ForField(fault.Invalid, "b", "is bad")},
			"invalid: a is bad; b is bad",
		},
		{
			"a field named twice keeps its first message",
			[]error{fault.ForField(fault.Invalid, "a", "is bad"), fault.ForField(fault.Invalid, "a", "is worse")},
			"invalid: a is bad",
		},
		{
			"what comes after a field named twice is not lost",
			[]error{
				fault.ForField(fault.Invalid, "a", "is bad"),
				fault.ForFields(fault.Invalid, fault.Field{Name: "a", Message: "is worse"}, fault.Field{Name: "b", Message: "is bad"}),
			},
			"invalid: a is bad; b is bad",
		},
		{
			"the state before references: contract 3.25",
			[]error{fault.ForField(fault.Dangling, "c", "does not exist"), fault.New(fault.Conflict, "frozen")},
			"conflict: frozen",
		},
		{
			"the body, with the references, before the state: contract 3.3, 3.25",
			[]error{
				fault.ForField(fault.Invalid, "a", "is bad"),
				fault.New(fault.Conflict, "frozen"),
				fault.ForField(fault.Dangling, "c", "does not exist"),
			},
			"invalid: a is bad; c does not exist",
		},
		{
			"permission before the record before its version: contract 3.25",
			[]error{fault.New(fault.Stale, "old"), fault.New(fault.NotFound, "gone"), fault.New(fault.Forbidden, "no")},
			"forbidden: no",
		},
		{
			"what is no rejection wins",
			[]error{fault.New(fault.Unauthenticated, "who?"), broken},
			"disk full",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := fmt.Sprint(fault.Join(tt.errs...)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestJoinKeepsTheCause(t *testing.T) {
	cause := errors.New("check violated")
	rejection := fault.As(fault.ForField(fault.Invalid, "a", "is bad")).WithCause(cause)
	if err := fault.Join(rejection, fault.ForField(fault.Invalid, "b", "is bad")); !errors.Is(err, cause) {
		t.Errorf("%v does not hold the cause", err)
	}
}

func TestErrorNamesABoundedNumberOfFields(t *testing.T) { // contract 2.39
	var c fault.Collector
	var fields []fault.Field
	for i := range fault.MaxFields + 1 {
		f := fault.Field{Name: fmt.Sprintf("items[%d].name", i), Message: "is required"}
		c.Add(f.Name, "%s", f.Message)
		fields = append(fields, f)
	}
	want := fields[:fault.MaxFields]
	for how, err := range map[string]error{
		"recorded one by one": c.Err(),
		"named at once":       fault.ForFields(fault.Invalid, fields...),
		"joined":              fault.Join(fault.ForFields(fault.Invalid, fields[:fault.MaxFields-1]...), fault.ForFields(fault.Invalid, fields[fault.MaxFields-1:]...)),
	} {
		if diff := cmp.Diff(want, fault.As(err).Fields); diff != "" {
			t.Errorf("%s: -want +got\n%s", how, diff)
		}
	}
}
