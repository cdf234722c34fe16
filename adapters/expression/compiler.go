package expression

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/env"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Compiler compiles the expressions of rules. It is a rule.Compiler, safe for concurrent use.
type Compiler struct {
	zone         *time.Location
	limit        time.Duration       // of an evaluation
	base         *cel.Env            // without variables
	environments map[string]*cel.Env // by resource
}

// NewCompiler returns a compiler of expressions with dates and times in the zone.
func NewCompiler(zone *time.Location) (*Compiler, error) {
	c := &Compiler{zone: zone, limit: maxTime, environments: make(map[string]*cel.Env, len(resources))}
	var err error
	if c.base, err = newEnvironment(zone); err != nil {
		return nil, err
	}
	for resource, k := range resources {
		if c.environments[resource], err = c.base.Extend(declarations(k)...); err != nil {
			return nil, fmt.Errorf("the expressions of the resource %s: %w", resource, err)
		}
	}
	return c, nil
}

// The limits of the parser.
const (
	maxDepth  = 100 // of parentheses, calls and operators within one another
	maxNodes  = 5_000
	maxMacros = 50 // such as exists and map: the time of the type checker grows with their square
	maxErrors = 5
)

func newEnvironment(zone *time.Location) (*cel.Env, error) {
	options := []cel.EnvOption{
		cel.StdLib(cel.StdLibSubset(standardFunctions())),
		cel.CustomTypeProvider(kinds),
		cel.HomogeneousAggregateLiterals(),
		cel.EnableHiddenAccumulatorName(true),
		cel.ParserRecursionLimit(maxDepth),
		cel.ParserExpressionSizeLimit(ruledef.MaxExpression),
		cel.ParserErrorRecoveryLimit(maxErrors),
		cel.ExpressionNodeLimit(maxNodes),
	}
	options = append(options, equality()...)
	options = append(options, decimalFunctions()...)
	options = append(options, textFunctions()...)
	options = append(options, timeFunctions(zone)...)
	options = append(options, factFunctions()...)
	return cel.NewCustomEnv(options...)
}

func declarations(k *kind) []cel.EnvOption {
	return []cel.EnvOption{
		cel.Variable("before", k.typ),
		cel.Variable("after", k.typ),
		cel.Variable("actor", actorKind.typ),
		cel.Variable("now", cel.TimestampType),
		cel.Variable("operation", cel.StringType),
		cel.Variable("facts", factsKind.typ),
	}
}

// standardFunctions are CEL's functions without those that do not check types, those that read
// the zones of the machine, and those that are defined here.
func standardFunctions() *env.LibrarySubset {
	subset := env.NewLibrarySubset()
	for _, name := range []string{"_==_", "_!=_", "dyn", "type", "bytes"} {
		subset.AddExcludedFunctions(env.NewFunction(name))
	}
	for _, f := range timeParts {
		subset.AddExcludedFunctions(env.NewFunction(f.name, env.NewOverload(f.overload, nil, nil), env.NewOverload(f.inZone, nil, nil)))
	}
	return subset
}

// Compile implements rule.Compiler. The expressions of an unknown resource are parsed, so that
// their author learns of syntax errors too.
func (c *Compiler) Compile(r ruledef.State) (rule.Expression, error) {
	k, ok := resources[r.Resource]
	if !ok {
		return nil, c.parse(r)
	}
	e := &Expression{resource: r.Resource, kind: k, zone: c.zone, limit: c.limit, name: r.Name}
	e.text = e.shown(r.Message)
	w := compilation{rule: r, kind: k, zone: c.zone, environment: c.environments[r.Resource], compared: map[string]bool{}}
	if w.declareVariables() {
		condition, message := sources(r)
		e.condition = w.compile(*condition)
		if message != nil {
			e.message = w.compile(*message)
		}
	}
	w.checkNull()
	w.checkOptional()
	if problem := k.fieldProblem(r.Field); problem != "" {
		w.refused.Add("field", "%s", problem)
	}
	e.variables = w.compiled
	if err := w.refused.Err(); err != nil {
		return nil, err
	}
	return e, nil
}

// parse returns the syntax errors of a rule whose resource is unknown.
func (c *Compiler) parse(r ruledef.State) error {
	var refused fault.Collector
	refused.Add("resource", "must be one of %s", strings.Join(ruledef.Resources, ", "))
	condition, message := sources(r)
	all := []*source{condition, message}
	for i := range r.Variables {
		all = append(all, variableSource(r, i))
	}
	for _, s := range all {
		if s != nil {
			s.parse(&refused, c.base)
		}
	}
	return refused.Err()
}

type source struct {
	field  string
	text   string
	offset int       // of the text in the first line of the field
	result *cel.Type // nil: any
}

// sources returns the condition and the message of a rule; message is nil if it is a text.
func sources(r ruledef.State) (condition, message *source) {
	condition = &source{field: "expression", text: r.Expression, result: cel.BoolType}
	if text, ok := strings.CutPrefix(r.Message, "="); ok {
		message = &source{field: "message", text: text, offset: 1, result: cel.StringType}
	}
	return condition, message
}

// parse parses the source; the result is nil if problems were added to those of its field.
func (s source) parse(refused *fault.Collector, environment *cel.Env) *cel.Ast {
	parsed, issues := environment.Parse(s.text)
	if issues.Err() != nil {
		refused.Add(s.field, "%s", s.explain(issues.Errors(), explainer{}))
		return nil
	}
	if n := macros(parsed.NativeRep().Expr()); n > maxMacros {
		refused.Add(s.field, "line 1, column %d: %d macros, such as exists and map; expected at most %d", s.offset+1, n, maxMacros)
		return nil
	}
	return parsed
}

// compilation compiles the expressions of one rule.
type compilation struct {
	rule        ruledef.State
	kind        *kind
	zone        *time.Location
	environment *cel.Env
	declared    *kind // the variables so far; nil if the rule has none
	compiled    []variable
	refused     fault.Collector
	checkers    []*checker
	compared    map[string]bool // the names that an expression compares with null
}

// compile makes one program; it is nil if problems were added to those of its field.
func (w *compilation) compile(s source) *program {
	parsed := s.parse(&w.refused, w.environment)
	if parsed == nil {
		return nil
	}
	checked, issues := w.environment.Check(parsed)
	reason := explainer{kind: w.kind, variables: w.declared, later: w.rule.Variables[len(w.compiled):]}
	if issues.Err() != nil {
		reason.root, reason.functions = parsed.NativeRep().Expr(), w.environment.Functions()
		w.refused.Add(s.field, "%s", s.explain(issues.Errors(), reason))
		return nil
	}
	found := check(checked.NativeRep(), s, w.kind, w.zone, w.compared)
	if len(found.problems) > 0 {
		w.refused.Add(s.field, "%s", s.explain(found.problems, reason))
		return nil
	}
	p, err := newProgram(w.environment, checked, found.steps)
	if err != nil {
		w.refused.Add(s.field, "line 1, column %d: %v", s.offset+1, err)
		return nil
	}
	w.checkers = append(w.checkers, found)
	return &program{p, checked.OutputType(), found.facts}
}

// program is an expression with its type and what it reads.
type program struct {
	cel.Program
	result *cel.Type
	facts  repository.FactKinds
}

// macros is the number of macros in an expression that read a list.
func macros(root ast.Expr) (n int) {
	ast.PostOrderVisit(root, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.ComprehensionKind {
			n++
		}
	}))
	return n
}

// provider finds kinds by their names.
type provider map[string]*kind

// kinds are those of all expressions.
var kinds = func() provider {
	all := provider{}
	for _, k := range []*kind{
		actorKind, factsKind, unpaidKind, dealInvoicesKind, dealAgreementsKind, lineKind, adjustmentKind, termsKind, noteKind, paymentItemKind,
		clientPartyKind, performerPartyKind,
	} {
		all[k.name] = k
	}
	for _, k := range resources {
		all[k.name] = k
	}
	return all
}()

func (p provider) attribute(kind, name string) (attribute, bool) {
	k, ok := p[kind]
	if !ok {
		return attribute{}, false
	}
	return k.attribute(name)
}

// EnumValue finds nothing: there are no enumerations.
func (provider) EnumValue(name string) ref.Val { return types.NewErr("unknown name %s", name) }

// FindIdent finds nothing: names of types are no values.
func (provider) FindIdent(string) (ref.Val, bool) { return nil, false }

func (p provider) FindStructType(name string) (*types.Type, bool) {
	k, ok := p[name]
	if !ok {
		return nil, false
	}
	return types.NewTypeTypeWithParam(k.typ), true
}

func (p provider) FindStructFieldNames(name string) ([]string, bool) {
	k, ok := p[name]
	if !ok {
		return nil, false
	}
	return k.names(), true
}

func (p provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	a, ok := p.attribute(name, field)
	if !ok {
		return nil, false
	}
	return a.field(), true
}

// NewValue returns an error: the compiler rejects messages.
func (provider) NewValue(name string, _ map[string]ref.Val) ref.Val {
	return types.NewErr("a record of the type %s cannot be made", name)
}
