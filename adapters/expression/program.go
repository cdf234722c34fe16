package expression

import (
	"context"
	"errors"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/kontor-crm/kontor/ports/repository"
)

// program is a condition or a message, ready for evaluation.
type program struct {
	program    cel.Program
	facts      repository.FactKinds
	attributes map[string]bool
}

func newProgram(e *cel.Env, tree *ast.AST, l *lowering) (*program, error) {
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize)}
	for _, plan := range []interpreter.InterpretableDecoratorV2{planChoice, planVariable, planSelection} {
		options = append(options, cel.CustomDecoratorV2(plan))
	}
	if !l.bounded {
		options = append(options, cel.CustomDecoratorV2(planCost))
	}
	p, err := e.PlanProgram(tree, options...)
	if err != nil {
		return nil, err
	}
	return &program{program: p, facts: l.facts, attributes: l.attributes}, nil
}

// eval is the value of the program: an error is a *types.Err.
func (p *program) eval(ctx context.Context, e *evaluation) ref.Val {
	e.meter = meter{ctx: ctx, now: e.clock}
	value, _, err := p.program.Eval(e.frame)
	if err != nil {
		return failure(e, err)
	}
	return value
}

// failure is the error of an evaluation: a limit rather than how it ended the evaluation.
func failure(e *evaluation, err error) ref.Val {
	var cancelled interpreter.EvalCancelledError
	if errors.As(err, &cancelled) && e.meter.exceeded != nil {
		err = e.meter.exceeded
	}
	return types.WrapErr(err)
}

// choice is the operator ?: in place of CEL's. If the condition is unknown, it evaluates both
// sides, so that the questions of all three are asked at once.
type choice struct {
	interpreter.InterpretableCall
	condition, yes, no interpreter.InterpretableV2
}

// choose is the name that lowering gives to the operator ?:.
const choose = "@choose"

func planChoice(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	call, ok := i.(interpreter.InterpretableCall)
	if !ok || call.Function() != choose {
		return i, nil
	}
	args := call.Args()
	return &choice{call, args[0], args[1], args[2]}, nil
}

func (c *choice) Eval(vars interpreter.Activation) ref.Val { return c.Exec(interpreter.AsFrame(vars)) }

func (c *choice) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	switch condition := c.condition.Exec(frame).(type) {
	case types.Bool:
		if condition {
			return c.yes.Exec(frame)
		}
		return c.no.Exec(frame)
	case *types.Unknown:
		unknown, _ := types.MaybeMergeUnknowns(c.yes.Exec(frame), condition)
		unknown, _ = types.MaybeMergeUnknowns(c.no.Exec(frame), unknown)
		return unknown
	default:
		return types.MaybeNoSuchOverloadErr(condition)
	}
}

// variable reads one of the variables of an evaluation. It takes the place of CEL's own node, which
// looks for the name each time.
type variable struct {
	interpreter.InterpretableV2
	get func(e *evaluation) ref.Val
}

func planVariable(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	attribute, ok := i.(interpreter.InterpretableAttribute)
	if !ok {
		return i, nil
	}
	named, ok := attribute.Attr().(interpreter.NamespacedAttribute)
	if !ok || len(named.Qualifiers()) > 0 {
		return i, nil
	}
	get, ok := variables[named.CandidateVariableNames()[0]]
	if !ok {
		return i, nil
	}
	return &variable{i, get}, nil
}

func (v *variable) Eval(vars interpreter.Activation) ref.Val {
	return v.Exec(interpreter.AsFrame(vars))
}

// Exec reads the variable. In a macro, whose own variable may have the same name, it uses CEL's node.
func (v *variable) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	if e, ok := frame.Activation.(*evaluation); ok {
		return v.get(e)
	}
	return v.InterpretableV2.Exec(frame)
}

// selection reads an attribute of a record. It takes the place of CEL's own node, which looks for
// the field by another interface and converts its value, and so takes longer.
type selection struct {
	interpreter.InterpretableCall
	operand interpreter.InterpretableV2
	get     func(r *record) ref.Val
}

// selectAttribute is the name that lowering gives to the selection of an attribute. Its arguments
// are the record and the attribute.
const selectAttribute = "@select"

func planSelection(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	call, ok := i.(interpreter.InterpretableCall)
	if !ok || call.Function() != selectAttribute {
		return i, nil
	}
	operand, attribute := call.Args()[0], call.Args()[1].(interpreter.InterpretableConst)
	return &selection{call, operand, attribute.Value().(attributeValue).get}, nil
}

func (s *selection) Eval(vars interpreter.Activation) ref.Val {
	return s.Exec(interpreter.AsFrame(vars))
}

func (s *selection) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	switch v := s.operand.Exec(frame).(type) {
	case *record:
		return s.get(v)
	case *types.Unknown, *types.Err:
		return v
	default:
		return types.LabelErrNode(s.ID(), types.WrapErr(errNoRecord))
	}
}
