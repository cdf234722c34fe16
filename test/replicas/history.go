package replicas

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Operation is a request that has succeeded. A register is something whose value only grows: the
// figure in a record that one caller writes, or how many records a caller has created.
type Operation struct {
	Caller     int
	Start, End time.Duration
	IsWrite    bool
	Register   string
	Value      int // that was read, or is the smallest after the write; 0: the write has no answer
	Most       int // the largest that the register may have after a write has begun
}

// isAnswered reports whether it is a write that the service has acknowledged.
func (o Operation) isAnswered() bool { return o.IsWrite && o.Value > 0 }

func (o Operation) String() string {
	verb := "reads"
	if o.IsWrite {
		verb = "writes"
	}
	return fmt.Sprintf("caller %d %s %s=%d from %s to %s", o.Caller, verb, o.Register, o.Value, o.Start, o.End)
}

// Check finds what callers must not see: less than they have written (read your writes) or seen
// (monotonic reads) in an operation that had ended before, and what nobody has written. Operations that
// overlap may see either state.
func Check(history []Operation) (violations []string) {
	type key struct {
		caller   int
		register string
	}
	of := map[key][]Operation{}
	writes := map[string][]Operation{}
	for _, o := range history {
		k := key{o.Caller, o.Register}
		of[k] = append(of[k], o)
		if o.IsWrite {
			writes[o.Register] = append(writes[o.Register], o)
		}
	}
	for k, operations := range of {
		violations = append(violations, backwards(operations)...)
		violations = append(violations, unwritten(operations, writes[k.register])...)
	}
	slices.Sort(violations)
	return violations
}

// backwards finds the reads of less than an earlier operation of the same caller.
func backwards(operations []Operation) (violations []string) {
	byEnd := slices.SortedFunc(slices.Values(operations), func(a, b Operation) int { return cmp.Compare(a.End, b.End) })
	byStart := slices.SortedFunc(slices.Values(operations), func(a, b Operation) int { return cmp.Compare(a.Start, b.Start) })
	var highest Operation
	ended := 0
	for _, o := range byStart {
		for ; ended < len(byEnd) && byEnd[ended].End <= o.Start; ended++ {
			if byEnd[ended].Value > highest.Value {
				highest = byEnd[ended]
			}
		}
		if !o.IsWrite && o.Value < highest.Value {
			violations = append(violations, fmt.Sprintf("%s, after %s", o, highest))
		}
	}
	return violations
}

// unwritten finds the reads of more than had begun to be written.
func unwritten(operations, writes []Operation) (violations []string) {
	for _, o := range operations {
		most := 0
		for _, w := range writes {
			if w.Start < o.End {
				most = max(most, w.Most)
			}
		}
		if !o.IsWrite && o.Value > most {
			violations = append(violations, fmt.Sprintf("%s, and at most %d has been written", o, most))
		}
	}
	return violations
}
