package pgread

import (
	"strings"
	"testing"
)

func TestMatchIDsAreCachedWhileFew(t *testing.T) {
	most := idArray("{" + strings.TrimSuffix(strings.Repeat("1,", maxMatchIDs), ",") + "}")
	for _, c := range []struct{ ids, since, want idArray }{
		{"{}", "", "{}"},
		{"{}", "{7}", "{7}"},
		{"{7}", "", "{7}"},
		{"{7}", "{8,9}", "{7,8,9}"},
		{most, "", most},
		{most, "{7}", ""},
		{"{}", most[:len(most)-1] + ",7}", ""},
	} {
		if got := c.ids.with(c.since); got != c.want {
			t.Errorf("%s with %s is %q, want %q", c.ids, c.since, got, c.want)
		}
	}
}
