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

// exposed is what systemd's own measure may say of the unit, of 0 to 10; below 2 it
// calls a unit "OK".
const exposed = 1.5

func TestTheUnitIsValidAndShutIn(t *testing.T) {
	// Its program and its user are not on this machine.
	unit := text(t, "deploy/kontor.service")
	unit = strings.Replace(unit, "/usr/local/bin/kontor", "/bin/true", 1)
	file := filepath.Join(t.TempDir(), "kontor.service")
	if err := os.WriteFile(file, []byte(unit), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := typed(t, nil, "sh", "-c", `systemd-analyze verify --man=no "$0" 2>&1`, file); said != "" {
		t.Errorf("systemd says of the unit\n%s", said)
	}
	said := typed(t, nil, "systemd-analyze", "security", "--offline=true", "--no-pager", file)
	level := regexp.MustCompile(`Overall exposure level for kontor.service: ([0-9.]+)`).FindStringSubmatch(said)
	if level == nil {
		t.Fatalf("systemd does not measure the unit:\n%s", said)
	}
	t.Logf("exposure %s", level[1])
	if measured, err := strconv.ParseFloat(level[1], 64); err != nil || measured > exposed {
		t.Errorf("the unit is exposed at %s, want %.1f at most:\n%s", level[1], exposed, said)
	}
}
