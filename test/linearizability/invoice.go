package linearizability

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// Question is what a client asks of one invoice.
type Question struct {
	Invoice int
	Verb    Verb
	Paid    bool  // what to make of it, for Pay
	Expects int64 // the version that it must have; 0: any
}

// Verb is what a client does.
type Verb int

// The verbs.
const (
	Read Verb = iota
	Pay
	AddLine
)

// Answer is what the client was told.
type Answer struct {
	Refused bool // the invoice had another version
	Seen    Invoice
}

// Invoice is as much of an invoice as clients see of it. After AddLine nothing is
// seen of it.
type Invoice struct {
	Version int64
	Paid    bool
	Lines   int
}

// model is an invoice that answers one question after the other.
var model = porcupine.Model{
	Partition: func(events []porcupine.Operation) [][]porcupine.Operation {
		of := map[int][]porcupine.Operation{}
		for _, e := range events {
			at := e.Input.(Question).Invoice
			of[at] = append(of[at], e)
		}
		var parts [][]porcupine.Operation
		for _, part := range of {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return Invoice{Version: 1, Lines: 1} },
	Step: func(state, input, output any) (bool, any) {
		return step(state.(Invoice), input.(Question), output.(Answer))
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v: %+v", input, output) },
}

// step tells whether an invoice in the state may answer so, and what it is then.
func step(i Invoice, q Question, a Answer) (bool, Invoice) {
	if isOther := q.Expects != 0 && q.Expects != i.Version; isOther || a.Refused {
		return isOther && a.Refused, i
	}
	switch q.Verb {
	case Pay:
		if i.Paid != q.Paid { // who changes nothing leaves the version
			i.Paid = q.Paid
			i.Version++
		}
	case AddLine:
		i.Lines++
		i.Version++
		return true, i
	}
	return a.Seen == i, i
}
