package expression

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/cel-go/common/types"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Expression is a compiled expression with its message. It implements rule.Expression.
type Expression struct {
	resource  string
	kind      *kind
	zone      *time.Location
	limit     time.Duration
	name      string // of the rule
	variables []variable
	condition *program
	message   *program // nil: the text
	text      string
}

// Facts returns the kinds of facts that a judgement may need, except for the lines of the
// record.
func (e *Expression) Facts() repository.FactKinds {
	kinds := e.condition.facts
	if e.message != nil {
		kinds |= e.message.facts
	}
	for _, v := range e.variables {
		kinds |= v.program.facts
	}
	return kinds
}

// Judge evaluates the expression, and the message if it refuses.
func (e *Expression) Judge(ctx context.Context, in rule.Input) rule.Judgement {
	ctx, cancel := context.WithTimeoutCause(ctx, e.limit, errTooSlow)
	defer cancel()
	v := newEvaluation(ctx, e, in)
	switch result := v.run(e.condition).(type) {
	case types.Bool:
		if result {
			return rule.Judgement{Passes: true}
		}
		return e.refusal(v)
	case *types.Unknown:
		return rule.Judgement{Missing: v.questions}
	case *types.Err:
		return rule.Judgement{Err: result.Unwrap()}
	default:
		return rule.Judgement{Err: fmt.Errorf("it yields %s", result.Type().TypeName())}
	}
}

func (e *Expression) refusal(v *evaluation) rule.Judgement {
	if e.message == nil {
		return rule.Judgement{Message: e.text}
	}
	switch result := v.run(e.message).(type) {
	case types.String:
		return rule.Judgement{Message: e.shown(string(result))}
	case *types.Unknown:
		return rule.Judgement{Missing: v.questions}
	case *types.Err:
		return rule.Judgement{Message: e.shown(fmt.Sprintf("is refused by the rule %s, whose message cannot be evaluated: %v", e.name, result))}
	}
	return rule.Judgement{Message: e.shown("")}
}

func (e *Expression) shown(message string) string {
	if message = strings.TrimSpace(printable(message, ruledef.MaxMessage)); message != "" {
		return message
	}
	return "is refused by the rule " + e.name
}

func isNoOverload(err error) bool { return strings.Contains(err.Error(), "no such overload") }
