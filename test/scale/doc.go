// Package scale simulates an installation that no test machine can hold: many companies on several instances and several
// nodes of a distributed PostgreSQL. It names the resource that is the first to be used up.
//
//	go run ./test/scale/cmd/scale -companies 100000 -rate 10000
//
// Requests arrive at random. Each belongs to a company, few of which send most requests, and passes the processors of an
// instance, one of its connections, the processors of the company's node, and, if it writes, those of the coordinator before
// and the flush of the node's log. What each step costs was measured on a small installation: see Costs.
//
// # Decisions
//
// Chose a simulation of queues over a formula, because a connection is held while a request waits for processors, which
// makes the queues depend on each other. A test compares a single queue with the Erlang C formula. Costs some seconds per
// run.
//
// Chose exponentially distributed service times with the measured means, because they are the harder case: requests of
// one kind differ less.
//
// Chose Che's approximation for the companies whose state an instance keeps, because it takes an hour of simulated time
// until a cache of that size is filled.
//
// Networks, locks within a company, background workers and the growth of a company's tables are not simulated.
package scale
