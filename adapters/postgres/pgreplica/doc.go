// Package pgreplica chooses streaming replicas for reads that ask for one with a position.
//
//	replicas.go   the replicas of a service, the position of the primary, the choice
//	replica.go    one replica: how far it is, and whether it is used
//	examine.go    the checks of a replica before the service starts
//
// Chose: only a request with a position reads from a replica; the writes of callers are not
// remembered. Because: nothing is stored or looked up for other requests, and a caller that does
// not know of replicas always sees its own writes. Costs: clients have to ask.
//
// Each replica is checked four times a second, on a connection of the service. What a check saw
// is a lower bound of what every other connection to the same server sees, as a server
// that replays never moves back while connections to it are open. A server that was restarted may:
// so a connection is used only if the server has, when it is opened, everything that
// any check has seen before.
package pgreplica
