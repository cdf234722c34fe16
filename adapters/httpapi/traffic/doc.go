// Package traffic protects the service from its traffic: the rate limit of a token, the limit
// on failed authentication of an address, and graceful shutdown.
package traffic
