package access

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

const (
	// issuedAtMost bounds the memory of the set, to about 10 MB.
	issuedAtMost = 100_000
	// issuedTimeout is for the query of the set, which no request cancels.
	issuedTimeout = 5 * time.Second
)

// issuedTokens is the set of the public ids of valid tokens. One query reads it, at most
// every two seconds and only while it is asked.
//
// Chose: all public ids are read, usually a few dozen, instead of limiting queries for unknown
// ones. Because: made-up tokens would use up such a limit, and a new token would have to compete
// with them. Costs: of more than 100,000 tokens only those are in it that were never used or used
// last.
type issuedTokens struct {
	grants  repository.Grants
	clock   ports.Clock
	reading singleflight.Group
	latest  atomic.Pointer[issuedSet]
}

type issuedSet struct {
	ids  map[string]struct{}
	read time.Duration // by the monotonic clock
}

// has reports whether there was a valid token with the public id within the last two seconds.
func (i *issuedTokens) has(ctx context.Context, publicID string) (bool, error) {
	set := i.current()
	if set == nil {
		read := i.reading.DoChan("", i.read)
		select {
		case <-ctx.Done():
			return false, fault.New(fault.Unavailable, "the database does not respond; try again").WithCause(ctx.Err())
		case result := <-read:
			if result.Err != nil {
				return false, result.Err
			}
			set = result.Val.(*issuedSet) //nolint:forcetypeassert // read returns no other
		}
	}
	_, ok := set.ids[publicID]
	return ok, nil
}

// current returns the set, unless it is too old.
func (i *issuedTokens) current() *issuedSet {
	if set := i.latest.Load(); set != nil && i.clock.Elapsed()-set.read < rememberFor {
		return set
	}
	return nil
}

func (i *issuedTokens) read() (any, error) {
	if set := i.current(); set != nil { // read since the caller looked
		return set, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), issuedTimeout)
	defer cancel()
	set := &issuedSet{ids: map[string]struct{}{}, read: i.clock.Elapsed()}
	ids, err := i.grants.PublicIDs(ctx, i.clock.Now(), issuedAtMost)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		set.ids[id] = struct{}{}
	}
	i.latest.Store(set)
	return set, nil
}
