// Package ports contains the interfaces that the core needs and the adapters
// implement: the clock and the generation of tokens here, writes in
// ports/repository, reads in ports/readmodel, companies in ports/tenant. The
// package also has what the layers exchange about a request: who sent it, and
// measurements.
//
// The comment of an interface states what a caller may rely on: order, errors, the
// meaning of an empty result. Ports import the domain and nothing else.
package ports

import "time"

// Clock returns the time.
type Clock interface {
	// Now returns the present time in UTC, truncated to microseconds, which is what
	// stores keep. The system clock may be set forward or back between two calls.
	Now() time.Time
	// Elapsed returns the monotonic time since some moment of this process,
	// independent of the system clock, to measure durations within this process.
	Elapsed() time.Duration
}

// Secret is a newly issued token with its secret.
type Secret struct {
	Token    string   // what a caller sends: kt_<public id>_<secret>
	PublicID string   // the part that may be shown
	Hash     [32]byte // what is stored of the rest
}

// TokenMinter generates and parses tokens.
type TokenMinter interface {
	// Mint generates a token with at least 256 random bits.
	Mint() (Secret, error)
	// Read parses a token without looking it up; ok is false if it is not
	// well-formed. Secret.Token is left empty.
	Read(token string) (s Secret, ok bool)
}
