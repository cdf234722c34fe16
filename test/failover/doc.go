// Package failover tests a service on a primary with streaming replicas, against real servers that are
// stopped, killed and promoted.
//
//	server.go    the servers
//	service.go   instances of the service on them
package failover
