package expression

import "time"

// WithClock is the compiler with another clock for the limit of time.
func (c *Compiler) WithClock(clock func() time.Time) *Compiler {
	other := *c
	other.clock = clock
	return &other
}
