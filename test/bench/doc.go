// Package bench measures Kontor. It has nothing but its parts:
//
//	data      the data of a fictional company, in any size: make bench-data
//	load      requests, rounds and figures of one program, or of two in turn: make bench
//	baseline  the least that a server has to do for the same responses
//
// The figures to look at are ratios of one run. Those in requests per second are of one machine and one day.
package bench
