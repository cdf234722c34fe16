//go:build race || full

package chaos_test

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// Request is a request for one invoice.
type Request struct {
	Invoice int
	Verb    Verb
	Paid    bool  // the new state, for Pay
	Expects int64 // the required version; 0: any
}

// Verb is the kind of a request.
type Verb int

// The verbs.
const (
	Read Verb = iota
	Pay
	AddLine
)

// Response is the response to a request.
type Response struct {
	Rejected bool // the invoice had another version
	Seen     Invoice
}

// Invoice is the state of an invoice as clients see it, which does not include
// lines.
type Invoice struct {
	Version int64
	Paid    bool
	Lines   int
}

// model is the sequential specification of an invoice.
var model = porcupine.Model{
	Partition: func(events []porcupine.Operation) [][]porcupine.Operation {
		of := map[int][]porcupine.Operation{}
		for _, e := range events {
			at := e.Input.(Request).Invoice
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
		return step(state.(Invoice), input.(Request), output.(Response))
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v: %+v", input, output) },
}

// step reports whether an invoice in the state may respond so, and returns the next
// state.
func step(i Invoice, q Request, a Response) (bool, Invoice) {
	if isOther := q.Expects != 0 && q.Expects != i.Version; isOther || a.Rejected {
		return isOther && a.Rejected, i
	}
	switch q.Verb {
	case Pay:
		if i.Paid != q.Paid { // no change keeps the version
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
