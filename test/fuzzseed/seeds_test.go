package fuzzseed

import (
	"bytes"
	"testing"
)

func TestSeedsDifferAndLeaveCasesUnchanged(t *testing.T) {
	first, second := []any{"one", []byte("two"), true, int64(7)}, []any{"", []byte{}, false, int64(0)}
	seeds := map[string]bool{}
	for range 200 {
		c := cross([][]any{first, second})
		seeds[c[0].(string)+"/"+string(c[1].([]byte))] = true
	}
	if len(seeds) < 50 {
		t.Errorf("200 seeds are %d texts", len(seeds))
	}
	if first[0] != "one" || !bytes.Equal(first[1].([]byte), []byte("two")) || !first[2].(bool) || first[3] != int64(7) {
		t.Errorf("the case was changed to %v", first)
	}
}
