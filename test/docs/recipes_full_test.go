//go:build full

package docs

import (
	"path/filepath"
	"testing"

	"github.com/kontor-crm/kontor/test/doctest"
)

func TestRecipesShowActualOutput(t *testing.T) {
	t.Parallel()
	blocks := doctest.Blocks(t, filepath.Join(root, recipes))
	if skipped := doctest.NotRun(blocks); skipped != nil {
		t.Errorf("not run: %q", skipped)
	}
	follow(t, blocks, "")
}
