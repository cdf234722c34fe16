package pgtenant

import (
	"strings"
	"testing"
)

// contract 15.2
func TestCitusMustBeRecentEnough(t *testing.T) {
	t.Parallel()
	for version, says := range map[int]string{0: "", 13: "", 14: "", 12: "has Citus 12", 11: "need 13 or later"} {
		err := checkCitus(version)
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("Citus %d: %v, want %q", version, err, says)
		}
	}
}
