package billing

import (
	"strings"
	"testing"
)

func TestUnitWordHasOneCode(t *testing.T) {
	codes := map[string]string{}
	for code, list := range unitLists {
		for word := range strings.FieldsSeq(list) {
			if other, ok := codes[word]; ok {
				t.Errorf("%s stands for %s and %s", word, other, code)
			}
			codes[word] = code
		}
	}
}
