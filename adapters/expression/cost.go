package expression

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// The limits of one evaluation.
const (
	maxCost = 500_000 // calls, and tenths of the characters that are read or written
	maxTime = time.Second
	// checkEvery is the cost between two looks at the clock.
	checkEvery        = 1000
	charactersPerCost = 10
)

var (
	errTooMuch = errors.New("it takes too many steps: it exceeds the cost limit")
	errTooSlow = fmt.Errorf("it takes longer than %v", maxTime)
)

// meter counts the cost of an evaluation.
//
// Chose: a meter of our own in place of CEL's. Because: CEL's keeps the values of a macro's
// iterations and searches them in each, so that its time grows with the square of an
// invoice's lines. Costs: this file.
type meter struct {
	ctx      context.Context
	now      func() time.Time
	cost     int
	checkAt  int
	began    time.Time
	exceeded error
}

// add panics if a limit is exceeded, because macros ignore errors; the program recovers.
func (m *meter) add(cost int) {
	m.cost += cost
	if m.cost > maxCost {
		m.stop(errTooMuch)
	}
	if m.cost < m.checkAt {
		return
	}
	m.checkAt = m.cost + checkEvery
	switch now := m.now(); {
	case m.ctx.Err() != nil:
		m.stop(m.ctx.Err())
	case m.began.IsZero():
		m.began = now
	case now.Sub(m.began) > maxTime:
		m.stop(errTooSlow)
	}
}

func (m *meter) stop(why error) {
	m.exceeded = why
	panic(interpreter.EvalCancelledError{Message: why.Error(), Cause: interpreter.CostLimitExceeded})
}

// meterName is the variable with the evaluation, which no text can name.
const meterName = "@meter"

func meterOf(frame *interpreter.ExecutionFrame) *meter {
	if e, ok := frame.Activation.(*evaluation); ok {
		return &e.meter
	}
	v, _ := frame.ResolveName(meterName) // in a macro
	if e, ok := v.(*evaluation); ok {
		return &e.meter
	}
	return &meter{ctx: context.Background(), now: time.Now} // of a constant that is evaluated in advance
}

// read is the name that lowering gives to a call around a text that a function reads as a whole.
const read = "@read"

// planCost makes every call count.
func planCost(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	call, ok := i.(interpreter.InterpretableCall)
	switch {
	case !ok || call.Function() == selectAttribute:
		return i, nil
	case call.Function() == read:
		return &reading{call, call.Args()[0]}, nil
	case call.Function() == "matches":
		return &matching{call, call.Args()[0], call.Args()[1]}, nil
	}
	return &counted{call}, nil
}

// counted is a call that costs 1, and the length of the text that it makes.
type counted struct {
	interpreter.InterpretableCall
}

func (c *counted) Eval(vars interpreter.Activation) ref.Val { return c.Exec(interpreter.AsFrame(vars)) }

func (c *counted) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := c.InterpretableCall.Exec(frame)
	meterOf(frame).add(1 + textCost(v))
	return v
}

func textCost(v ref.Val) int {
	s, _ := v.(types.String)
	return len(s) / charactersPerCost
}

// reading is a text that costs its length.
type reading struct {
	interpreter.InterpretableCall
	text interpreter.InterpretableV2
}

func (r *reading) Eval(vars interpreter.Activation) ref.Val { return r.Exec(interpreter.AsFrame(vars)) }

func (r *reading) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := r.text.Exec(frame)
	meterOf(frame).add(textCost(v))
	return v
}

// matching looks for a regular expression, which costs the length of the text times the steps of
// the expression, before it does.
type matching struct {
	interpreter.InterpretableCall
	text, pattern interpreter.InterpretableV2
}

func (m *matching) Eval(vars interpreter.Activation) ref.Val {
	return m.Exec(interpreter.AsFrame(vars))
}

func (m *matching) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	text := m.text.Exec(frame)
	if types.IsUnknownOrError(text) {
		return text
	}
	s, isText := text.(types.String)
	p, ok := m.pattern.Exec(frame).(pattern)
	if !isText || !ok {
		return types.MaybeNoSuchOverloadErr(text)
	}
	meterOf(frame).add(1 + len(s)*p.steps/charactersPerCost)
	return types.Bool(p.compiled.MatchString(string(s)))
}
