package scale

import "time"

// Measured are the costs on two shared processors; docs/scaling.md says how they were measured.
var Measured = Costs{
	Service:     [kinds]time.Duration{read: 52 * time.Microsecond, list: 90 * time.Microsecond, write: 310 * time.Microsecond},
	Database:    [kinds]time.Duration{read: 60 * time.Microsecond, list: 150 * time.Microsecond, write: 500 * time.Microsecond},
	Coordinator: [kinds]time.Duration{read: 60 * time.Microsecond, list: 60 * time.Microsecond, write: 200 * time.Microsecond},
	Flush:       2 * time.Millisecond,
	Switch:      50 * time.Microsecond,
	Prepare:     5 * time.Millisecond,
	Load:        5 * time.Millisecond,
	Kept:        10,

	CompanyMemory:    0.5,
	ConnectionMemory: 1,
}
