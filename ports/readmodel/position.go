package readmodel

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Position is a position in the write-ahead log of a database: a server that has reached it has
// everything that was committed before. The zero value is before everything. By the position after a
// write, a read from a replica asks for what was written.
//
// Chose: the position in the write-ahead log over times and over sticky sessions. Because: a
// replica knows exactly whether it has reached a position, and any instance can ask it. Costs: a
// short query after each write, since the position is known only after the commit.
type Position struct {
	System   int64  // the identifier of the cluster
	Timeline uint32 // which a promotion raises
	WAL      uint64 // in the write-ahead log
}

// IsZero reports whether the position is before everything.
func (p Position) IsZero() bool { return p == Position{} }

// Covers reports whether a server at p has everything that a server at q had. If q is of an
// earlier timeline, the places in the log are compared: what the promoted server did not have is
// lost, so no server has it. A q of a later timeline or of another cluster is never covered.
func (p Position) Covers(q Position) bool {
	return q.IsZero() || p.System == q.System && p.Timeline >= q.Timeline && p.WAL >= q.WAL
}

// String returns a text that ParsePosition reads: system identifier, timeline and place, in hexadecimal digits.
func (p Position) String() string {
	return fmt.Sprintf("%x-%x-%x", uint64(p.System), p.Timeline, p.WAL)
}

var errPosition = errors.New("it is not a position")

// ParsePosition reads the text of a position.
func ParsePosition(text string) (Position, error) {
	parts := strings.Split(text, "-")
	if len(parts) != 3 {
		return Position{}, errPosition
	}
	system, noSystem := strconv.ParseUint(parts[0], 16, 64)
	timeline, noTimeline := strconv.ParseUint(parts[1], 16, 32)
	wal, noWAL := strconv.ParseUint(parts[2], 16, 64)
	p := Position{System: int64(system), Timeline: uint32(timeline), WAL: wal}
	if err := errors.Join(noSystem, noTimeline, noWAL); err != nil || p.String() != text {
		return Position{}, errPosition
	}
	return p, nil
}
