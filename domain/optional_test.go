package domain_test

import (
	"testing"

	"github.com/kontor-crm/kontor/domain"
)

func TestOptionalEmptyValueIsNotAbsent(t *testing.T) {
	var absent domain.Optional[string]
	empty := domain.Some("")

	if absent.IsSet() || !empty.IsSet() {
		t.Errorf("set: absent %v, empty %v", absent.IsSet(), empty.IsSet())
	}
	if got := absent.Or("old"); got != "old" {
		t.Errorf("absent.Or = %q, want the other value", got)
	}
	if got := empty.Or("old"); got != "" {
		t.Errorf("empty.Or = %q, want the empty value", got)
	}
	if _, ok := absent.Get(); ok {
		t.Error("Get finds a value that is absent")
	}
	if v, ok := domain.Some(7).Get(); v != 7 || !ok {
		t.Errorf("Get = %d, %v, want 7, true", v, ok)
	}
}
