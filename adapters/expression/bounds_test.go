package expression_test

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

// large is the sample with as many lines and as long texts as an invoice may have.
func large() rule.Input {
	in := sample()
	s := *in.After.(*invoice.State)
	s.Notice = strings.Repeat("ab ", 21_845)
	s.Lines = make([]invoice.Line, invoice.MaxLines)
	for i := range s.Lines {
		s.Lines[i] = invoice.Line{ID: invoice.LineID(i + 1), Name: strings.Repeat("n", 100), Count: quantity("1"), Price: amount("1"), Total: amount("1")}
	}
	s.TotalCount = len(s.Lines)
	in.After = &s
	return in
}

// An expression that would take long, or much memory, is stopped by the cost limit.
func TestJudgeBoundsTimeAndMemory(t *testing.T) {
	numbers := "[" + strings.Repeat("1,", 500) + "1]"
	for name, text := range map[string]string{
		"loops within loops":   `after.items.all(a, after.items.all(b, after.items.all(c, a.name == b.name)))`,
		"lists of many parts":  numbers + `.map(a, ` + numbers + `.map(b, ` + numbers + `.map(c, a + b + c).sum()).sum()).sum() > 0`,
		"texts of many parts":  `after.items.map(a, after.notice + a.name).size() > 0`,
		"texts that double":    `[after.notice].map(a, [a+a].map(b, [b+b].map(c, [c+c].map(d, [d+d].map(e, [e+e].map(f, [f+f].map(g, size(g)).sum()).sum()).sum()).sum()).sum()).sum()).sum() > 0`,
		"copies of long texts": `after.items.all(i, after.notice.lower() != "")`,
		"sizes of long texts":  `after.items.all(a, after.items.all(b, after.notice.size() > 0))`,
		"regular expressions":  `after.items.all(i, !after.notice.matches("(a?){40}c"))`,
	} {
		t.Run(name, func(t *testing.T) {
			in := large()
			var j rule.Judgement
			grown := heapGrowth(func() { j = judge(t, text, in) })
			if j.Passes || j.Err == nil || !strings.Contains(j.Err.Error(), "cost limit") && !strings.Contains(j.Err.Error(), "takes longer") {
				t.Errorf("got %+v", j)
			}
			if grown > 64<<20 {
				t.Errorf("the heap grows by %d kB", grown>>10)
			}
		})
	}
}

// heapGrowth returns by how many bytes the heap grows at most while do runs.
func heapGrowth(do func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // garbage is no more than what is in use
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before, most := m.HeapAlloc, m.HeapAlloc
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	for {
		select {
		case <-done:
			return most - before
		case <-time.After(5 * time.Millisecond):
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
	}
}

func TestJudgeReadsAllLinesOfALargeInvoice(t *testing.T) {
	const text = `after.items.all(i, i.price > 0 && i.count > 0 && i.name != "") && after.items.map(i, i.total_price).sum() == 10000`
	e, err := compiler.WithLimit(time.Minute).Compile(ruledef.State{Resource: "invoice", Expression: text, Message: "no"})
	if err != nil {
		t.Fatal(err)
	}
	if j := e.Judge(context.Background(), large()); !j.Passes {
		t.Errorf("got %+v", j)
	}
}

func TestJudgeRefusesProductsOfManyDigits(t *testing.T) {
	const text = `[after.total_price].map(a, [a*a].map(b, [b*b].map(c, [c*c].map(d, [d*d].map(e, [e*e].map(f, f*f).sum()).sum()).sum()).sum()).sum()).sum() > 0`
	if j := judge(t, text, sample()); j.Err == nil || j.Err.Error() != "the product has more than 200 digits" {
		t.Errorf("got %+v", j)
	}
}

func TestRegularExpressionIsRefusedBeforeItTakesLong(t *testing.T) {
	j := judge(t, `!after.notice.matches("(a?){40}c")`, large())
	if j.Err == nil || j.Err.Error() != "it takes too many steps: it exceeds the cost limit" {
		t.Errorf("got %+v", j)
	}
}

func TestJudgeEndsAtTheTimeLimit(t *testing.T) {
	for limit, want := range map[time.Duration]string{time.Minute: "", time.Nanosecond: "it takes longer than 1s"} {
		e, err := compiler.WithLimit(limit).Compile(ruledef.State{Resource: "invoice", Expression: `after.items.all(i, i.price > 0)`, Message: "no"})
		if err != nil {
			t.Fatal(err)
		}
		if j := e.Judge(context.Background(), large()); want == "" && !j.Passes || want != "" && (j.Err == nil || j.Err.Error() != want) {
			t.Errorf("within %v: %+v, want %q", limit, j, want)
		}
	}
}

func TestJudgeEndsWithItsContext(t *testing.T) {
	e, err := compile(t, "invoice", `after.items.all(i, i.price > 0)`, "no")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if j := e.Judge(ctx, large()); !errors.Is(j.Err, context.Canceled) {
		t.Errorf("got %+v", j)
	}
}
