package fault_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
)

// contract 3.39
func TestCodesAreDistinctAndCoverEveryKind(t *testing.T) {
	form := regexp.MustCompile("^[a-z]+(_[a-z]+)*$")
	for i, code := range fault.Codes {
		if !form.MatchString(string(code)) || slices.Contains(fault.Codes[:i], code) {
			t.Errorf("%q is not in snake_case, or there twice", code)
		}
	}
	for kind := fault.Unauthenticated; kind <= fault.OutcomeUnknown; kind++ {
		if code := fault.New(kind, "x").CodeOf(); !slices.Contains(fault.Codes, code) {
			t.Errorf("%v has the code %q, which is not in the list", kind, code)
		}
	}
}

// contract 3.39
func TestCodeIsThatOfTheFaultThenOfTheRuleThenOfTheKind(t *testing.T) {
	fields := func(e *fault.Error) (codes []fault.Code) {
		for _, f := range e.Fields {
			codes = append(codes, f.CodeOf())
		}
		return codes
	}
	var c fault.Collector
	c.Coded(fault.Required, "name", "is required")
	c.Add("name", "has another error")
	c.Add("email", "is odd")
	dangling := fault.ForField(fault.Dangling, "client_id", fault.DoesNotExist)
	for name, tt := range map[string]struct {
		err    error
		code   fault.Code
		fields []fault.Code
	}{
		"a kind":                {fault.New(fault.Malformed, "x"), "malformed", nil},
		"a reason":              {fault.New(fault.Conflict, "x").Coded(fault.Frozen).WithCause(nil), fault.Frozen, nil},
		"fields":                {c.Err(), fault.NotValid, []fault.Code{fault.Required, fault.NotValid}},
		"a reference":           {fault.Join(c.Err(), dangling), fault.NotValid, []fault.Code{fault.Required, fault.NotValid, fault.NoRecord}},
		"a rule":                {fault.New(fault.Conflict, "x").ByRule("r"), fault.ByRule, []fault.Code{fault.ByRule}},
		"a conflict of a field": {fault.ForFields(fault.Conflict, fault.Field{Name: "ref", Code: fault.Taken}), fault.Taken, []fault.Code{fault.Taken}},
		"a coded field":         {fault.As(dangling).Coded(fault.Disabled), fault.NotValid, []fault.Code{fault.Disabled}},
	} {
		e := fault.As(tt.err)
		if e.CodeOf() != tt.code || !slices.Equal(fields(e), tt.fields) {
			t.Errorf("%s: got %s %v, want %s %v", name, e.CodeOf(), fields(e), tt.code, tt.fields)
		}
	}
}
