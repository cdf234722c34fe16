package pgread

import (
	"strconv"
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

func TestMatchCacheForgetsWhatWasNotUsedLately(t *testing.T) {
	var c matchCache
	known := func(key string) bool {
		_, ok := c.get(key)
		return ok
	}
	for i := range 10 * maxCachedMatches {
		c.put(strconv.Itoa(i), matches{count: int64(i)})
		if i%100 == 0 && i > 0 && !known("0") {
			t.Fatalf("a search in use is forgotten when %d were cached", i)
		}
	}
	if last := 10*maxCachedMatches - 1; !known(strconv.Itoa(last)) || !known(strconv.Itoa(last-maxCachedMatches+10)) {
		t.Error("a search of late is forgotten")
	}
	if known("1") || len(c.young)+len(c.old) > 2*maxCachedMatches {
		t.Errorf("%d searches are cached, which include an old one: %v", len(c.young)+len(c.old), known("1"))
	}
}

func TestMatchCacheRemovesOnlyWhatWasGiven(t *testing.T) {
	var c matchCache
	c.put("süd", matches{count: 2})
	c.remove("süd", matches{count: 1})
	if m, ok := c.get("süd"); !ok || m.count != 2 {
		t.Errorf("newer matches were removed: %v, %v", m, ok)
	}
	c.remove("süd", matches{count: 2})
	if m, ok := c.get("süd"); ok {
		t.Errorf("%v is cached", m)
	}
}
