package rule

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

// MaxTime is the time after which the context of a compiled rule ends.
const MaxTime = 5 * time.Second

var errTooLong = fmt.Errorf("it takes longer than %v", MaxTime)

// judgeCompiled asks the compiled rules whose mode is one of those.
func (j *judging[S]) judgeCompiled(ctx context.Context, in func(ruledef.Mode) bool) error {
	j.lap()
	for _, r := range j.kind.aggregate(j.set.registry).rules {
		mode, id := j.set.modeOf(r.Name(), r)
		if !in(mode) {
			continue
		}
		err := checked(ctx, r, j.change)
		switch {
		case j.facts.failed != nil:
			return j.facts.failed
		case ctx.Err() != nil:
			return ctx.Err()
		}
		v := Verdict{Rule: r.Name(), ID: id, Mode: mode, Took: j.lap()}
		if err != nil && !isRefusal(err) {
			v.Outcome, v.Cause = Failed, err
			err = fault.New(fault.Invalid, "the rule %s cannot be evaluated: %s", r.Name(), reasonOf(err))
		}
		j.add(v, err)
	}
	return nil
}

// checked calls the rule. Its panic is an error.
func checked[S any](ctx context.Context, r Rule[S], c Change[S]) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, MaxTime, errTooLong)
	defer cancel()
	defer func() {
		if cause := recover(); cause != nil {
			err = panicked{fmt.Errorf("a panic: %v\n%s", cause, debug.Stack())}
		}
	}()
	err = r.Check(ctx, c)
	if err != nil && !isRefusal(err) && errors.Is(context.Cause(ctx), errTooLong) {
		return fmt.Errorf("%w: %w", errTooLong, err)
	}
	return err
}

type panicked struct{ error }

// reasonOf returns why a rule has failed, without what only the log may show.
func reasonOf(err error) string {
	var p panicked
	switch {
	case errors.As(err, &p):
		return "it panics"
	case errors.Is(err, errTooLong):
		return errTooLong.Error()
	}
	return "it returns an unexpected error"
}
