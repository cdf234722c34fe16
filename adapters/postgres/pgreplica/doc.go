// Package pgreplica sends the reads of requests to streaming replicas, and never to one that
// lacks what the caller has written or seen.
//
// Each token is assigned one replica, by rendezvous hashing. Its reads go there, or to the primary:
// while that replica is left out, and whenever it has not replayed what the token needs. All
// statements of a request go to one server.
//
//	replicas.go   the replicas of a service, and their states
//	replica.go    one replica: its checks, when it is left out, and when it is back
//	primary.go    what the primary has written, and since when
//	positions.go  which position a token needs
//	reads.go      the server of a request
//	batcher.go    one query for concurrent requests
//
// Chose to store the position that each token needs in a table of the primary, and to look it up
// for each request, over bound sessions and over a header that clients must send back. Because:
// a client that knows nothing of positions writes through one instance and reads through
// another at once. Costs one short query on the primary for all requests that arrive during the
// one before, and an upsert in the round trip of each commit.
//
// Chose one replica for each token, over the least loaded replica. Because: a server that replays never
// moves back in time, so pages of an iteration do not either, and nothing needs to be stored when a
// replica has served a read. Costs balance: the load of one token stays on one replica.
//
// What was read on the primary may be newer than the token's replica. So the position of the primary
// is recorded for the token before the response is sent, also if another instance still uses the replica.
//
// A replica that crashes may come back behind what it has shown. It is back only when it has
// replayed what the primary had written by then, since nobody has seen more.
//
// The positions are lost in a crash of the primary and in a promotion, as the table is unlogged. The
// first look-up that finds it empty stores the present position for all tokens (token 0). Chose that
// over a logged table, because the position of a write would otherwise wait for the disk and for
// synchronous replicas once more, and would be lost with an asynchronous promotion all the same.
//
// Each company has a table of positions of its own, which is looked up by queries of its own. Chose
// that over one table and one query for all, because a company that is being removed or is locked
// then delays nobody else, and its positions are dropped with it. Costs one query at a time for
// each busy company. The position for all tokens is stored once, for all companies.
//
// Instances with other replicas would assign others to a token. The one that started last stores its
// replicas; those that have others read from the primary.
package pgreplica
