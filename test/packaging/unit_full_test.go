//go:build full

package packaging

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// exposed is the maximum exposure of the unit by systemd-analyze, from 0 to 10;
// below 2 is rated OK.
const exposed = 1.5

func TestUnitIsValidAndRestricted(t *testing.T) {
	// Its program and its user do not exist on this machine.
	unit := text(t, "deploy/kontor.service")
	unit = strings.Replace(unit, "/usr/local/bin/kontor", "/bin/true", 1)
	file := filepath.Join(t.TempDir(), "kontor.service")
	if err := os.WriteFile(file, []byte(unit), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := command(t, nil, "sh", "-c", `systemd-analyze verify --man=no "$0" 2>&1`, file); said != "" {
		t.Errorf("systemd-analyze prints\n%s", said)
	}
	said := command(t, nil, "systemd-analyze", "security", "--offline=true", "--no-pager", file)
	level := regexp.MustCompile(`Overall exposure level for kontor.service: ([0-9.]+)`).FindStringSubmatch(said)
	if level == nil {
		t.Fatalf("systemd-analyze does not rate the unit:\n%s", said)
	}
	t.Logf("exposure %s", level[1])
	if measured, err := strconv.ParseFloat(level[1], 64); err != nil || measured > exposed {
		t.Errorf("the exposure of the unit is %s, want at most %.1f:\n%s", level[1], exposed, said)
	}
}
