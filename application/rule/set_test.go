package rule_test

import (
	"testing"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

// countingCompiler counts the expressions that it compiles.
type countingCompiler map[string]int

func (c countingCompiler) Compile(r ruledef.State) (rule.Expression, error) {
	c[r.Expression]++
	return expression{}, nil
}

func TestRuleSetCompilesChangedRulesOnly(t *testing.T) {
	compiled := countingCompiler{}
	registry, err := rule.NewRegistry(compiled, nil)
	if err != nil {
		t.Fatal(err)
	}
	rules := []ruledef.State{
		{ID: 1, Name: "first", Resource: "deal", Expression: "a", Mode: ruledef.Enforce, Source: ruledef.Typed},
		{ID: 2, Name: "second", Resource: "deal", Expression: "b", Mode: ruledef.Shadow, Source: ruledef.Typed},
	}
	registry.Set(repository.RuleSet{Version: 1, Rules: rules})

	changed := []ruledef.State{rules[0], rules[1]}
	changed[0].Mode, changed[1].Expression = ruledef.Warn, "c"
	registry.Set(repository.RuleSet{Version: 2, Rules: changed})
	if compiled["a"] != 1 || compiled["b"] != 1 || compiled["c"] != 1 {
		t.Errorf("compiled %v, each expression has to be compiled once", compiled)
	}
	renamed := []ruledef.State{changed[0], changed[1]}
	renamed[0].Message, renamed[1].Name = "another", "third" // both are part of what is compiled
	registry.Set(repository.RuleSet{Version: 3, Rules: renamed})
	if compiled["a"] != 2 || compiled["c"] != 2 {
		t.Errorf("compiled %v after changes of a message and a name", compiled)
	}
}
