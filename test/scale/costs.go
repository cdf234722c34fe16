package scale

import "time"

// Measured are the costs on two shared processors, each request after the response to the one
// before. Requests on a worker have the costs of the database times the ratio that was measured for
// them; the numbers of new records, which the coordinator draws, that of a short statement.
// docs/scaling.md says how they were measured; those of a new connection and of a flush were
// not, and are assumptions.
var Measured = Costs{
	Service:     [kinds]time.Duration{read: 220 * time.Microsecond, list: 250 * time.Microsecond, write: 450 * time.Microsecond},
	Database:    [kinds]time.Duration{read: 100 * time.Microsecond, list: 140 * time.Microsecond, write: 420 * time.Microsecond},
	Coordinator: [kinds]time.Duration{write: 90 * time.Microsecond},
	Worker:      [kinds]time.Duration{read: 100 * time.Microsecond, list: 160 * time.Microsecond, write: 480 * time.Microsecond},
	Flush:       2 * time.Millisecond,
	Switch:      10 * time.Microsecond,
	Prepare:     300 * time.Microsecond,
	Load:        2 * time.Millisecond,
	Kept:        6,
	Served:      100,
	Connect:     4 * time.Millisecond,

	CompanyMemory:    0.25,
	ConnectionMemory: 0.6,
}
