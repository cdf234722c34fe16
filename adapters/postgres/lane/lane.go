// Package lane gives the connections of a pool to companies: it decides which request gets which
// connection, and when.
//
// A company waits a few milliseconds for a lane that it has used, because that connection has the
// company's prepared statements, and its server process has the company's tables in its caches.
//
// Companies that wait for a lane take turns, however many requests each has, and each holds at most a
// share of the lanes. While others use lanes, it is half of the share, and a quarter for short
// requests, for at most 60 % of the time (quickUse). Chose these limits because concurrent statements delay
// each other: on two processors, before statements were qualified, the p99 of a company beside one that
// writes at full rate was 2.8 times that alone if the other one wrote on two connections, 2.0 times on
// one, and 7.9 times without a limit. Slow requests get additional lanes, so that they do not block the
// short ones of their own company. Costs throughput of a busy company beside others.
package lane

import (
	"slices"
	"time"

	"github.com/kontor-crm/kontor/ports/company"
)

// Lane is a connection that serves one company after another. Lanes are numbered from 0 on.
type Lane struct {
	Number int
	users  []user  // the last one first
	node   *string // of the last user, to which the connection is; nil: there has been none
	isFree bool
}

// user is a company that uses a lane. All users of a lane use one node, to which its
// connection is.
type user struct {
	company company.Code
	node    string // empty: the server of the database URL
	last    time.Time
}

// The limits of a lane. All of its users share the prepared statements of the connection.
const (
	maxUsers  = 6
	fewUsers  = 4                // a lane with fewer has room for a company that uses another lane
	usesUntil = 10 * time.Second // after its last use a company counts as a user
)

// use makes the company the most recent user of the lane. If there are too many users, the least
// recent one is removed, and so are all users of another node.
func (l *Lane) use(by company.Code, node string, now time.Time) {
	l.users = slices.DeleteFunc(l.users, func(u user) bool {
		return u.company == by || u.node != node || now.Sub(u.last) >= usesUntil
	})
	l.users = slices.Insert(l.users[:min(len(l.users), maxUsers-1)], 0, user{by, node, now})
	l.node = &node
}

// distance is the number of companies that have used the lane since this one did. For a company
// that is not a user it is the number of users. It is maxUsers if the lane has no room for
// another user, or has users of another node.
func (l *Lane) distance(to company.Code, node string, now time.Time) int {
	if i := l.indexOf(to, node); i >= 0 {
		return i
	}
	if l.isElsewhere(node) {
		return maxUsers
	}
	l.users = slices.DeleteFunc(l.users, func(u user) bool { return now.Sub(u.last) >= usesUntil })
	return len(l.users)
}

// isTo reports whether the lane has a connection to the node, as far as is known.
func (l *Lane) isTo(node string) bool { return l.node != nil && *l.node == node }

// isElsewhere reports whether the lane has a connection to another node, which would be replaced.
func (l *Lane) isElsewhere(node string) bool { return l.node != nil && *l.node != node }

// isUser reports whether the company uses the lane.
func (l *Lane) isUser(c company.Code, node string) bool { return l.indexOf(c, node) >= 0 }

func (l *Lane) indexOf(c company.Code, node string) int {
	return slices.IndexFunc(l.users, func(u user) bool { return u.company == c && u.node == node })
}
