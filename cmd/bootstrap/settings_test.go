package bootstrap

import (
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/doctor"
)

func TestCheckSettingsHasAFindingForEachInvalidSetting(t *testing.T) {
	t.Parallel()
	c := Defaults("")
	c.zoned, c.serving = true, true
	if got := CheckSettings(&c); len(got) != 1 || got[0].State != doctor.OK {
		t.Errorf("of the defaults is said %v", got)
	}
	c.Listen, c.StatementTimeout, c.TimeZone = "8080", time.Hour, "Mars/Olympus"
	got := CheckSettings(&c)
	if len(got) != 3 {
		t.Fatalf("of three wrong settings is said %v", got)
	}
	for i, variable := range []string{"KONTOR_TIMEZONE", "KONTOR_LISTEN", "KONTOR_STATEMENT_TIMEOUT"} {
		if got[i].State != doctor.Fail || !strings.HasSuffix(got[i].Hint, variable) || strings.Contains(got[i].Found, "\n") {
			t.Errorf("finding %d is %v, want one that names %s", i, got[i], variable)
		}
	}
}
