//go:build full

package packaging

import (
	"strings"
	"testing"
)

// The module needs no other modules than Kontor, which are downloaded already.
var offline = []string{"GOPROXY=off"}

func TestExtensionPassesItsTests(t *testing.T) {
	t.Parallel()
	if printed := command(t, offline, "go", "test", "-C", "test/extension", "./..."); !strings.HasPrefix(printed, "ok") {
		t.Errorf("go test prints %s", printed)
	}
}
