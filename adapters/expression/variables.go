package expression

import (
	"fmt"
	"maps"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kontor-crm/kontor/domain/ruledef"
)

// variable is a compiled variable of a rule.
type variable struct {
	name    string
	program *program
}

// variablesKind is the kind of the record variables. Its attributes are those of each rule.
var variablesKind = newKind("variables")

// declareVariables compiles the variables of a rule, each with those before it as attributes of the record
// variables. It returns false if one is refused: what uses it cannot be checked.
//
// Chose: a program for each variable, which is run when its attribute is read, as Kubernetes does for its
// admission policies. Because: types, facts and errors are then those of any expression. Costs: the cost
// of a judgement is the sum of several.
func (w *compilation) declareVariables() bool {
	if len(w.rule.Variables) == 0 {
		return true
	}
	known := newKind(variablesKind.name)
	all := maps.Clone(kinds)
	all[known.name] = known
	var err error
	w.environment, err = w.environment.Extend(cel.CustomTypeProvider(all), cel.Variable(known.name, known.typ))
	if err != nil {
		w.refused.Add("variables", "%v", err)
		return false
	}
	w.declared = known
	for i, v := range w.rule.Variables {
		compiled := w.compile(*variableSource(w.rule, i))
		if compiled == nil {
			return false
		}
		w.compiled = append(w.compiled, variable{v.Name, compiled})
		known.attributes = append(known.attributes, newAttribute(v.Name, compiled.result, func(r *record) ref.Val { return r.in.variable(i) }))
	}
	return true
}

func variableSource(r ruledef.State, i int) *source {
	return &source{field: fmt.Sprintf("variables[%d].expression", i), text: r.Variables[i].Expression}
}

// variable returns the value of a variable, which is evaluated once.
func (e *evaluation) variable(i int) ref.Val {
	if e.values[i] == nil {
		v := e.expression.variables[i]
		e.values[i] = e.run(v.program)
		if err, failed := e.values[i].(*types.Err); failed {
			e.values[i] = types.WrapErr(fmt.Errorf("variables.%s: %w", v.name, err.Unwrap()))
		}
	}
	return e.values[i]
}
