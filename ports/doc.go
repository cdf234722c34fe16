// Package ports holds the contracts that the core needs and the adapters keep:
// the clock and the minting of tokens here, stores for the write side in
// ports/repository, lists and records for the read side in ports/readmodel, and
// what watches requests in ports/observe.
//
// A contract's comment promises what a caller may rely on: order, errors, what
// an empty answer means. Ports import the domain and nothing else.
package ports

import "time"

// Clock tells the time.
type Clock interface {
	// Now is the time of day, in whole microseconds, since no store keeps more.
	// Whoever looks after the machine may set it forward or back between two calls.
	Now() time.Time
	// Elapsed is the time since some moment of this process. It goes on evenly
	// whatever Now is set to, so it is what tells how old something is that only
	// this process knows of.
	Elapsed() time.Duration
}

// Secret is a token as it is handed out, once.
type Secret struct {
	Token    string   // what a caller sends: kt_<public id>_<secret>
	PublicID string   // the part that may be shown
	Hash     [32]byte // what is stored of the rest
}

// TokenMinter makes and reads tokens.
type TokenMinter interface {
	// Mint makes a token of at least 256 random bits.
	Mint() (Secret, error)
	// Read takes a token apart without checking it; ok is false if it does not
	// have a token's form. Secret.Token is left empty.
	Read(token string) (s Secret, ok bool)
}
