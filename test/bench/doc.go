// Package bench measures Kontor. It has nothing but its parts:
//
//	data      the data of a fictional company, in any size: make bench-data
//	baseline  the least that a server has to do for the same responses
//	load      requests, rounds and figures: make bench
//	citus     CPU time of requests on one server and on Citus
//
// The figures to look at are ratios: Kontor's beside the baseline's, in rounds that take turns, and a
// million clients' beside ten thousand's. Those in requests per second are of one machine and one day.
package bench
