package access

import (
	"fmt"
	"testing"

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
	for i := range 100 {
		c.put(repository.Grant{Token: token.State{PublicID: fmt.Sprint(i)}}, 0)
	}
	for i := range 3 {
		c.put(repository.Grant{Token: token.State{PublicID: "used"}}, rememberFor*2<<i)
	}
	if n := len(c.recent) + len(c.older); n > 2 {
		t.Errorf("%d grants are cached", n)
	}
}
