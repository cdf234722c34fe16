// Package failover is a service on a primary with streaming replicas: real servers that tests stop, kill and promote.
//
//	server.go    the servers
//	service.go   instances of the service on them
package failover
