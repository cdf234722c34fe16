package cache

import (
	"strconv"
	"testing"
)

func TestCacheForgetsWhatWasNotUsedLately(t *testing.T) {
	var c Bounded[string, int]
	known := func(key string) bool {
		_, ok := c.Get(key)
		return ok
	}
	for i := range 10 * Max {
		c.Put(strconv.Itoa(i), i)
		if i%100 == 0 && i > 0 && !known("0") {
			t.Fatalf("a value in use is forgotten when %d were cached", i)
		}
	}
	if last := 10*Max - 1; !known(strconv.Itoa(last)) || !known(strconv.Itoa(last-Max+10)) {
		t.Error("a value of late is forgotten")
	}
	if known("1") || len(c.young)+len(c.old) > 2*Max {
		t.Errorf("%d values are cached, which include an old one: %v", len(c.young)+len(c.old), known("1"))
	}
}

func TestCacheRemovesOnlyWhatWasGiven(t *testing.T) {
	var c Bounded[string, int]
	c.Put("key", 2)
	c.Remove("key", 1)
	if value, ok := c.Get("key"); !ok || value != 2 {
		t.Errorf("a newer value was removed: %v, %v", value, ok)
	}
	c.Remove("key", 2)
	if value, ok := c.Get("key"); ok {
		t.Errorf("%v is cached", value)
	}
}
