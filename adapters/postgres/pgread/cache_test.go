package pgread

import (
	"strconv"
	"testing"
)

func TestCacheForgetsWhatWasNotUsedLately(t *testing.T) {
	var c cache[string, int]
	known := func(key string) bool {
		_, ok := c.get(key)
		return ok
	}
	for i := range 10 * maxCached {
		c.put(strconv.Itoa(i), i)
		if i%100 == 0 && i > 0 && !known("0") {
			t.Fatalf("a value in use is forgotten when %d were cached", i)
		}
	}
	if last := 10*maxCached - 1; !known(strconv.Itoa(last)) || !known(strconv.Itoa(last-maxCached+10)) {
		t.Error("a value of late is forgotten")
	}
	if known("1") || len(c.young)+len(c.old) > 2*maxCached {
		t.Errorf("%d values are cached, which include an old one: %v", len(c.young)+len(c.old), known("1"))
	}
}

func TestCacheRemovesOnlyWhatWasGiven(t *testing.T) {
	var c cache[string, int]
	c.put("key", 2)
	c.remove("key", 1)
	if value, ok := c.get("key"); !ok || value != 2 {
		t.Errorf("a newer value was removed: %v, %v", value, ok)
	}
	c.remove("key", 2)
	if value, ok := c.get("key"); ok {
		t.Errorf("%v is cached", value)
	}
}
