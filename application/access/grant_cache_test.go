package access

import (
	"fmt"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports/repository"
)

// contract 5.11
func TestGrantCacheEvictsTheOldest(t *testing.T) {
	var c grantCache
	put := func(i int) {
		c.put(repository.Grant{Token: token.State{PublicID: fmt.Sprint(i)}}, 0)
		if n := len(c.recent) + len(c.older); n > cacheAtMost {
			t.Fatalf("%d grants are cached, want at most %d", n, cacheAtMost)
		}
	}
	for i := range 3 * cacheAtMost {
		put(i)
		if _, ok := c.get(fmt.Sprint(max(0, i+1-cacheAtMost/2)), 0); !ok {
			t.Fatalf("after %d grants, one of the latest %d is evicted", i+1, cacheAtMost/2)
		}
	}
	if _, ok := c.get("0", 0); ok {
		t.Error("the oldest grant is still cached")
	}
}

// contract 5.11
func TestGrantCacheForgetsUnusedGrants(t *testing.T) {
	var c grantCache
	const begun = time.Hour
	put := func(publicID string, at time.Duration, want int) {
		t.Helper()
		c.put(repository.Grant{Token: token.State{PublicID: publicID}}, at)
		if n := len(c.recent) + len(c.older); n != want {
			t.Errorf("%d grants are cached, want %d", n, want)
		}
	}
	for i := range 100 {
		put(fmt.Sprint(i), begun+time.Duration(i), i+1)
	}
	put("used", begun+rememberFor, 101)
	put("used", begun+2*rememberFor, 2)
}
