package expression

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kontor-crm/kontor/ports/repository"
)

// lowering checks in a typed tree what CEL's types cannot say, replaces texts of decimals, dates
// and regular expressions by their values, and finds out what the expression needs.
type lowering struct {
	tree *ast.AST
	kind *kind
	zone *time.Location

	nextID     int64 // that no node has
	readers    []ast.Expr
	problems   []*cel.Error
	bounded    bool // the length of the expression bounds the time it takes
	facts      repository.FactKinds
	attributes map[string]bool
}

// accumulator is the variable of macros, which no text can name.
const accumulator = "@result"

var factory = ast.NewExprFactory()

// lower checks and lowers a tree whose value is to have the type.
func lower(tree *ast.AST, result *cel.Type, k *kind, zone *time.Location) *lowering {
	l := &lowering{tree: tree, kind: k, zone: zone, nextID: ast.MaxID(tree) + 1, bounded: true, attributes: map[string]bool{}}
	root := tree.Expr()
	if got := l.typeOf(root); !got.IsExactType(result) {
		l.refuse(root, "it must yield %s, but it yields %s", typeName(result), typeName(got))
	}
	ast.PostOrderVisit(root, ast.NewExprVisitor(l.visit))
	if !l.bounded {
		for _, e := range l.readers {
			l.read(e)
		}
	}
	return l
}

func (l *lowering) typeOf(e ast.Expr) *cel.Type { return l.tree.GetType(e.ID()) }

func (l *lowering) refuse(at ast.Expr, format string, args ...any) {
	l.problems = append(l.problems, common.NewError(at.ID(), fmt.Sprintf(format, args...), l.tree.SourceInfo().GetStartLocation(at.ID())))
}

func (l *lowering) visit(e ast.Expr) {
	switch e.Kind() {
	case ast.StructKind:
		l.refuse(e, "records cannot be made")
	case ast.MapKind:
		l.refuse(e, "maps cannot be made")
	case ast.ComprehensionKind:
		l.bounded = false
	case ast.SelectKind:
		l.selected(e)
	case ast.CallKind:
		l.call(e)
	}
	l.checkNesting(e)
}

// selected notes which attributes of the records before and after are read, and replaces the
// selection.
func (l *lowering) selected(e ast.Expr) {
	s := e.AsSelect()
	kind := l.typeOf(s.Operand()).TypeName()
	if kind == l.kind.name {
		l.attributes[s.FieldName()] = true
	}
	if s.IsTestOnly() {
		return
	}
	if a, ok := kinds.attribute(kind, s.FieldName()); ok {
		literal := factory.NewLiteral(l.nextID, attributeValue{types.String(a.name), a})
		l.nextID++
		e.SetKindCase(factory.NewCall(e.ID(), selectAttribute, s.Operand(), literal))
	}
}

// checkNesting refuses lists of lists: shared elements could make them arbitrarily large for free.
func (l *lowering) checkNesting(e ast.Expr) {
	t := l.typeOf(e)
	if t == nil || t.Kind() != types.ListKind {
		return
	}
	element := t.Parameters()[0].Kind()
	isEmpty := e.Kind() == ast.ListKind && e.AsList().Size() == 0
	if element == types.ListKind || element == types.MapKind || element == types.DynKind && !isEmpty {
		l.refuse(e, "list elements must have one type, and must not be lists")
	}
}

// readers are the functions that read a text as a whole.
var readers = []string{"size", "contains", "lower", "upper", "trim"}

func (l *lowering) call(e ast.Expr) {
	call := e.AsCall()
	function, args := call.FunctionName(), call.Args()
	if call.IsMemberFunction() {
		args = append([]ast.Expr{call.Target()}, args...)
	}
	if len(args) > 0 && l.typeOf(args[0]).TypeName() == factsKind.name {
		l.facts |= repository.FactsOf(factsAsked[function])
	}
	// The length of an expression bounds its time, unless it makes texts or looks for patterns.
	l.bounded = l.bounded && function != "matches" && l.typeOf(e).Kind() != types.StringKind
	if slices.Contains(readers, function) && l.typeOf(args[0]).Kind() == types.StringKind {
		l.readers = append(l.readers, e)
	}
	switch function {
	case operators.Conditional:
		e.SetKindCase(factory.NewCall(e.ID(), choose, args...))
	case operators.Equals, operators.NotEquals:
		l.checkComparable(e, args[0], args[1])
		l.convert(e, args[0], args[1])
	case operators.In, operators.OldIn:
		l.checkMembership(e, args)
	case operators.Add:
		if l.typeOf(e).Kind() == types.ListKind && !isAccumulator(args[0]) {
			l.refuse(e, "lists cannot be added")
		}
		l.convert(e, args[0], args[1])
	case operators.Subtract, operators.Multiply, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		l.convert(e, args[0], args[1])
	case "decimal":
		l.literal(e, args[0], decimalFrom)
	case "date":
		l.literal(e, args[0], func(s string) ref.Val { return dateFrom(s, l.zone) })
	case "duration":
		l.literal(e, args[0], durationFrom)
	case "timestamp":
		l.literal(e, args[0], timestampFrom)
	case "matches":
		l.pattern(args[1])
	}
}

func isAccumulator(e ast.Expr) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == accumulator }

// read charges a function for the text that it reads.
func (l *lowering) read(e ast.Expr) {
	call := e.AsCall()
	if call.IsMemberFunction() {
		e.SetKindCase(factory.NewMemberCall(e.ID(), call.FunctionName(), l.wrap(read, call.Target()), call.Args()...))
		return
	}
	args := slices.Clone(call.Args())
	args[0] = l.wrap(read, args[0])
	e.SetKindCase(factory.NewCall(e.ID(), call.FunctionName(), args...))
}

func (l *lowering) wrap(function string, e ast.Expr) ast.Expr {
	id := l.nextID
	l.nextID++
	l.tree.SetType(id, l.typeOf(e))
	l.tree.SetReference(id, ast.NewFunctionReference(function))
	return factory.NewCall(id, function, e)
}

// literal replaces the call of a constructor by its value, if its argument is a text.
func (l *lowering) literal(e, arg ast.Expr, value func(string) ref.Val) {
	text, ok := textOfLiteral(arg)
	if !ok {
		return
	}
	v := value(text)
	if err, failed := v.(*types.Err); failed {
		l.refuse(arg, "%v", err)
		return
	}
	e.SetKindCase(factory.NewLiteral(e.ID(), v))
}

func (l *lowering) pattern(arg ast.Expr) {
	text, ok := textOfLiteral(arg)
	if !ok {
		l.refuse(arg, "a regular expression must be a text in quotes")
		return
	}
	p, err := newPattern(text)
	if err != nil {
		l.refuse(arg, "%v", err)
		return
	}
	arg.SetKindCase(factory.NewLiteral(arg.ID(), p))
}

func textOfLiteral(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}

// convert makes a decimal of the integer beside one.
func (l *lowering) convert(e, a, b ast.Expr) {
	function := e.AsCall().FunctionName()
	switch {
	case l.isDecimal(a) && l.typeOf(b).Kind() == types.IntKind:
		e.SetKindCase(factory.NewCall(e.ID(), function, a, l.toDecimal(b)))
	case l.isDecimal(b) && l.typeOf(a).Kind() == types.IntKind:
		e.SetKindCase(factory.NewCall(e.ID(), function, l.toDecimal(a), b))
	}
}

func (l *lowering) isDecimal(e ast.Expr) bool { return isDecimal(l.typeOf(e)) }

func (l *lowering) toDecimal(e ast.Expr) ast.Expr {
	if e.Kind() == ast.LiteralKind {
		if d, ok := asDecimal(e.AsLiteral()); ok {
			return factory.NewLiteral(e.ID(), d)
		}
	}
	call := l.wrap("decimal", e)
	l.tree.SetType(call.ID(), decimalType)
	l.tree.SetReference(call.ID(), ast.NewFunctionReference("int_to_decimal"))
	return call
}

// checkComparable refuses == between values that are never equal, or are records.
func (l *lowering) checkComparable(e, a, b ast.Expr) {
	ta, tb := l.typeOf(a), l.typeOf(b)
	if !areComparable(ta, tb) && !areComparable(tb, ta) {
		l.refuse(e, "%s and %s cannot be compared%s", typeName(ta), typeName(tb), hint(ta, tb))
	}
}

func areComparable(a, b *cel.Type) bool {
	switch {
	case a.Kind() == types.NullTypeKind:
		return isNullable(b)
	case a.Kind() == types.IntKind && isDecimal(b):
		return true
	case a.Kind() == types.ListKind && b.Kind() == types.ListKind:
		ea, eb := a.Parameters()[0], b.Parameters()[0]
		return ea.Kind() == types.DynKind || areComparable(ea, eb)
	case isDecimal(a):
		return isDecimal(b)
	}
	return isScalar(a) && a.Kind() == b.Kind()
}

func isDecimal(t *cel.Type) bool { return t.TypeName() == decimalType.TypeName() }

func isNullable(t *cel.Type) bool {
	switch t.Kind() {
	case types.StructKind:
		return !isDecimal(t)
	case types.TimestampKind, types.NullTypeKind:
		return true
	}
	return t.IsAssignableType(types.NullType)
}

func isScalar(t *cel.Type) bool {
	switch t.Kind() {
	case types.BoolKind, types.IntKind, types.UintKind, types.DoubleKind, types.StringKind, types.BytesKind,
		types.TimestampKind, types.DurationKind:
		return true
	}
	return false
}

// checkMembership refuses to look for records in lists.
func (l *lowering) checkMembership(e ast.Expr, args []ast.Expr) {
	t := l.typeOf(args[0])
	if !isScalar(t) && !isDecimal(t) {
		l.refuse(e, "%s cannot be looked for in a list", typeName(t))
	}
}

// hint returns a hint how to correct operands that do not fit.
func hint(a, b *cel.Type) string {
	names := []string{typeName(a), typeName(b)}
	switch {
	case slices.Contains(names, "decimal") && slices.Contains(names, "double"):
		return writeDecimal
	case slices.Contains(names, "null") && slices.Contains(names, "string"):
		return `: a text that is missing is ""`
	case a.Kind() == types.StructKind && b.Kind() == types.StructKind && !isDecimal(a) && !isDecimal(b):
		return ": compare their attributes"
	}
	return ""
}

// typeName is a type in messages.
func typeName(t *cel.Type) string {
	name := cel.FormatCELType(t)
	if inner, ok := strings.CutPrefix(name, "wrapper("); ok {
		return strings.TrimSuffix(inner, ")")
	}
	return strings.TrimSuffix(name, "_type")
}
