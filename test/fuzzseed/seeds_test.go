package fuzzseed

import (
	"bytes"
	"testing"
)

func TestSeedsMadeByChanceDifferAndLeaveTheirCasesAsTheyAre(t *testing.T) {
	first, second := []any{"one", []byte("two"), true, int64(7)}, []any{"", []byte{}, false, int64(0)}
	made := map[string]bool{}
	for range 200 {
		c := cross([][]any{first, second})
		made[c[0].(string)+"/"+string(c[1].([]byte))] = true
	}
	if len(made) < 50 {
		t.Errorf("200 seeds are %d texts", len(made))
	}
	if first[0] != "one" || !bytes.Equal(first[1].([]byte), []byte("two")) || !first[2].(bool) || first[3] != int64(7) {
		t.Errorf("the case has become %v", first)
	}
}
