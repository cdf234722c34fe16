package ruledef_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/ruledef"
)

func TestNameOfARuleHasOneToMaxNameCharacters(t *testing.T) {
	for name, want := range map[string]bool{
		"":                                     false,
		"a":                                    true,
		"no-credit_2.x":                        true,
		"no credit":                            false,
		"No-credit":                            false,
		"crédit":                               false,
		strings.Repeat("a", ruledef.MaxName):   true,
		strings.Repeat("a", ruledef.MaxName+1): false,
	} {
		if got := ruledef.IsName(name); got != want {
			t.Errorf("%q: %t, want %t", name, got, want)
		}
	}
}

func TestEnumsOfRulesAreParsedFromTheirNames(t *testing.T) {
	for i, name := range []string{"off", "shadow", "warn", "enforce"} {
		if m, ok := ruledef.ParseMode(name); !ok || m != ruledef.Off+ruledef.Mode(i) || m.String() != name {
			t.Errorf("%s is parsed as %v, %v", name, m, ok)
		}
	}
	for name, want := range map[string]ruledef.Source{"typed": ruledef.Typed, "program": ruledef.Program} {
		if s, ok := ruledef.ParseSource(name); !ok || s != want || s.String() != name {
			t.Errorf("%s is parsed as %v, %v", name, s, ok)
		}
	}
	for name, want := range map[string]ruledef.Operation{"create": ruledef.Create, "update": ruledef.Update, "delete": ruledef.Delete} {
		if o, ok := ruledef.ParseOperation(name); !ok || o != want || o.String() != name {
			t.Errorf("%s is parsed as %v, %v", name, o, ok)
		}
	}
	m, isMode := ruledef.ParseMode("strict")
	s, isSource := ruledef.ParseSource("strict")
	o, isOperation := ruledef.ParseOperation("read")
	if isMode || isSource || isOperation || m != 0 || s != 0 || o != 0 {
		t.Errorf("unknown names are parsed as %v, %v and %v", m, s, o)
	}
	for _, none := range []interface{ String() string }{ruledef.Mode(0), ruledef.Enforce + 1, ruledef.Source(0), ruledef.Operation(0)} {
		if name := none.String(); name != "" {
			t.Errorf("%#v has the name %q", none, name)
		}
	}
}

func TestOperationsAreASet(t *testing.T) {
	set := ruledef.Of(ruledef.Delete, ruledef.Create)
	if !set.Has(ruledef.Create) || set.Has(ruledef.Update) || !set.Has(ruledef.Delete) {
		t.Errorf("the set of create and delete has %q", set.Names())
	}
	if got := set.String(); got != "create,delete" {
		t.Errorf("it is shown as %q", got)
	}
}

func TestStatesAreTheSameIfAllAttributesAre(t *testing.T) {
	state := func() ruledef.State {
		return ruledef.State{
			ID: 1, Version: 1, Name: "a", Resource: "deal", On: ruledef.Of(ruledef.Create),
			Variables: []ruledef.Variable{{Name: "v", Expression: "1"}}, Expression: "true", Message: "No.", Field: "paid",
			Mode: ruledef.Warn, Source: ruledef.Typed, CreatedAt: monday, UpdatedAt: monday,
		}
	}
	elsewhere := state()
	elsewhere.CreatedAt = monday.In(time.FixedZone("", 3600))
	if !ruledef.Same(state(), elsewhere) {
		t.Error("a state differs from itself with its time in another zone")
	}
	for name, change := range map[string]func(*ruledef.State){
		"ID":         func(s *ruledef.State) { s.ID++ },
		"Version":    func(s *ruledef.State) { s.Version++ },
		"Name":       func(s *ruledef.State) { s.Name = "b" },
		"Resource":   func(s *ruledef.State) { s.Resource = "user" },
		"On":         func(s *ruledef.State) { s.On = ruledef.Of(ruledef.Delete) },
		"Variables":  func(s *ruledef.State) { s.Variables[0].Expression = "2" },
		"Expression": func(s *ruledef.State) { s.Expression = "false" },
		"Message":    func(s *ruledef.State) { s.Message = "Never." },
		"Field":      func(s *ruledef.State) { s.Field = "" },
		"Forbidden":  func(s *ruledef.State) { s.Forbidden = true },
		"Mode":       func(s *ruledef.State) { s.Mode = ruledef.Off },
		"Source":     func(s *ruledef.State) { s.Source = ruledef.Program },
		"CreatedAt":  func(s *ruledef.State) { s.CreatedAt = tuesday },
		"UpdatedAt":  func(s *ruledef.State) { s.UpdatedAt = tuesday },
	} {
		other := state()
		if change(&other); ruledef.Same(state(), other) {
			t.Errorf("states with another %s are the same", name)
		}
	}
}
