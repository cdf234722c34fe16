package ruledef_test

import (
	"strings"
	"testing"

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
