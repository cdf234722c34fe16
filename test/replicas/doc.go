// Package replicas tests services that read from streaming replicas, against real servers: a
// primary and its replicas, which are delayed, stopped, killed and promoted.
//
//	server.go    the servers
//	service.go   instances of the service on them
package replicas
