// Package ports holds the interfaces that the core needs and the adapters implement:
// the clock and the minting of tokens here, stores for the write side in
// ports/repository, lists and records for the read side in ports/readmodel,
// measurements of requests in ports/observe, their memory budget in ports/membudget,
// and their callers in ports/caller.
//
// The comment of an interface promises what a caller may rely on: order, errors, the
// meaning of an empty result. Ports import the domain and nothing else.
package ports

import "time"

// Clock gives the time.
type Clock interface {
	// Now is the time of day, in whole microseconds, since no store keeps more.
	// The operator of the machine may set it forward or back between two calls.
	Now() time.Time
	// Elapsed is the monotonic time since some moment of this process, whatever Now
	// is set to: the age of what only this process knows is measured by it.
	Elapsed() time.Duration
}

// Secret is a token as it is issued, once.
type Secret struct {
	Token    string   // what a caller sends: kt_<public id>_<secret>
	PublicID string   // the part that may be shown
	Hash     [32]byte // what is stored of the rest
}

// TokenMinter makes and reads tokens.
type TokenMinter interface {
	// Mint makes a token of at least 256 random bits.
	Mint() (Secret, error)
	// Read parses a token without checking it; ok is false if it does not have the
	// form of a token. Secret.Token is left empty.
	Read(token string) (s Secret, ok bool)
}
