package access

import (
	"fmt"
	"testing"

	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports/repository"
)

// contract 5.11
func TestGrantCacheEvictsTheLeastRecentlyUsed(t *testing.T) {
	c := newGrantCache()
	for i := range cacheAtMost + 1 {
		c.put(repository.Grant{Token: token.State{PublicID: fmt.Sprint(i)}}, 0)
		if _, ok := c.get("0", 0); !ok {
			t.Fatalf("a grant in use is evicted after %d", i)
		}
	}
	if _, ok := c.get("1", 0); ok || c.grants.Len() != cacheAtMost {
		t.Errorf("%d grants are cached, the least recently used one: %v", c.grants.Len(), ok)
	}
}
