package rule_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

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

// setOf is the set of the registry with the stored rules.
func setOf(t *testing.T, r *rule.Registry, stored repository.RuleSet) *rule.Set {
	t.Helper()
	set, err := r.Set(t.Context(), stored)
	if err != nil {
		t.Fatal(err)
	}
	return set
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
	setOf(t, registry, repository.RuleSet{Version: 1, Rules: rules})

	changed := []ruledef.State{rules[0], rules[1]}
	changed[0].Mode, changed[1].Expression = ruledef.Warn, "c"
	setOf(t, registry, repository.RuleSet{Version: 2, Rules: changed})
	if compiled["a"] != 1 || compiled["b"] != 1 || compiled["c"] != 1 {
		t.Errorf("compiled %v, each expression has to be compiled once", compiled)
	}
	renamed := []ruledef.State{changed[0], changed[1]}
	renamed[0].Message, renamed[1].Name = "another", "third" // both are part of what is compiled
	setOf(t, registry, repository.RuleSet{Version: 3, Rules: renamed})
	if compiled["a"] != 2 || compiled["c"] != 2 {
		t.Errorf("compiled %v after changes of a message and a name", compiled)
	}
}

// slowCompiler compiles what is sent to it.
type slowCompiler chan rule.Expression

func (c slowCompiler) Compile(ruledef.State) (rule.Expression, error) {
	x := <-c
	if x == nil {
		panic("nothing to compile")
	}
	return x, nil
}

// contract 12.120
func TestRulesAreCompiledOnceForAllWritesAndNoWriteWaitsBeyondItsContext(t *testing.T) {
	compiler := make(slowCompiler)
	registry, err := rule.NewRegistry(compiler, nil)
	if err != nil {
		t.Fatal(err)
	}
	stored := repository.RuleSet{Version: 1, Rules: []ruledef.State{
		{ID: 1, Name: "slow", Resource: "deal", Expression: "a", Mode: ruledef.Enforce, Source: ruledef.Typed},
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := registry.Set(ctx, stored); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a write whose context has ended gets %v", err)
	}
	sets := make(chan *rule.Set)
	for range 3 {
		go func() {
			set, _ := registry.Set(t.Context(), stored)
			sets <- set
		}()
	}
	compiler <- expression{} // once: it is received by one of them
	first := <-sets
	for range 2 {
		if other := <-sets; other != first || first == nil {
			t.Errorf("two writes have the sets %p and %p", first, other)
		}
	}
	stored.Version, stored.Rules[0].Expression = 2, "b"
	close(compiler)
	if _, err := registry.Set(t.Context(), stored); err == nil || !strings.Contains(err.Error(), "nothing to compile") {
		t.Errorf("a panic of the compiler is the error %v", err)
	}
}
