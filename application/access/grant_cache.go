package access

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports/repository"
)

const cacheAtMost = 10_000

// grantCache is grants by public id. When it is full, it evicts the least recently used one.
type grantCache struct {
	mu     sync.Mutex // of the entries
	grants *lru.Cache[string, *cachedGrant]
}

func newGrantCache() *grantCache {
	grants, err := lru.New[string, *cachedGrant](cacheAtMost)
	if err != nil {
		panic(err) // the size is wrong
	}
	return &grantCache{grants: grants}
}

type cachedGrant struct {
	repository.Grant
	found time.Duration // by the monotonic clock
	used  time.Time     // when this process last recorded its use; zero: never
}

// get returns the grant, if it was found within the last two seconds.
func (c *grantCache) get(publicID string, elapsed time.Duration) (repository.Grant, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := c.entry(publicID); g != nil && elapsed-g.found < rememberFor {
		return g.Grant, true
	}
	return repository.Grant{}, false
}

// token returns the token, however old the entry is.
func (c *grantCache) token(publicID string) (token.State, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := c.entry(publicID); g != nil {
		return g.Token, true
	}
	return token.State{}, false
}

func (c *grantCache) put(grant repository.Grant, elapsed time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := &cachedGrant{Grant: grant, found: elapsed}
	if before := c.entry(grant.Token.PublicID); before != nil {
		g.used = before.used
	}
	c.grants.Add(grant.Token.PublicID, g)
}

// mustRecordUse reports whether the caller is to record that the token is used: its last use was
// not recorded within a minute, and no other request is about to do so.
func (c *grantCache) mustRecordUse(t token.State, now time.Time) bool {
	if isRecent(t.LastUsedAt, now) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.entry(t.PublicID)
	if g == nil {
		return true
	}
	if isRecent(g.used, now) {
		return false
	}
	g.used = now
	return true
}

func (c *grantCache) entry(publicID string) *cachedGrant {
	g, _ := c.grants.Get(publicID)
	return g
}

// isRecent reports whether a use is less than a minute away. One in the future was before
// the clock was set back.
func isRecent(used, now time.Time) bool { return now.Sub(used).Abs() < touchEvery }
