package expression

import (
	"fmt"
	"regexp/syntax"
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

// checker checks in a typed tree what CEL's types cannot say, replaces texts of decimals and dates by
// their values, and finds out what the expression reads.
type checker struct {
	tree   *ast.AST
	source source
	kind   *kind
	zone   *time.Location

	nextID   int64 // that no node has
	problems []*cel.Error
	steps    map[string]int // of the regular expressions
	facts    repository.FactKinds
	reads    map[string][]ast.Expr // attributes, by the variable
	needed   []ast.Expr            // optional attributes of before and after that a function or operator needs a value of
	compared map[string]bool       // variables and their attributes that an expression of the rule compares with null
}

// accumulator is the variable of macros, which no text can name.
const accumulator = "@result"

var factory = ast.NewExprFactory()

// check checks the tree of a source, and adds to compared.
func check(tree *ast.AST, s source, k *kind, zone *time.Location, compared map[string]bool) *checker {
	c := &checker{
		tree: tree, source: s, kind: k, zone: zone, nextID: ast.MaxID(tree) + 1, steps: map[string]int{},
		reads: map[string][]ast.Expr{}, compared: compared,
	}
	root := tree.Expr()
	switch got := c.typeOf(root); {
	case s.result != nil && !got.IsExactType(s.result):
		c.refuse(root, "it must yield %s, but it yields %s", typeName(s.result), typeName(got))
	case s.result == nil && strings.Contains(typeName(got), "dyn"):
		c.refuse(root, "it must have one type, but it yields %s", typeName(got))
	}
	ast.PostOrderVisit(root, ast.NewExprVisitor(c.visit))
	return c
}

func (c *checker) typeOf(e ast.Expr) *cel.Type { return c.tree.GetType(e.ID()) }

func (c *checker) refuse(at ast.Expr, format string, args ...any) {
	c.problems = append(c.problems, common.NewError(at.ID(), fmt.Sprintf(format, args...), c.tree.SourceInfo().GetStartLocation(at.ID())))
}

func (c *checker) visit(e ast.Expr) {
	switch e.Kind() {
	case ast.StructKind:
		c.refuse(e, "records cannot be made")
	case ast.MapKind:
		c.refuse(e, "maps cannot be made")
	case ast.SelectKind:
		c.selection(e)
	case ast.CallKind:
		c.call(e)
	}
	c.checkNesting(e)
}

// selection checks an attribute that is read, or that has is applied to. Has cannot say that a party is not known yet.
func (c *checker) selection(e ast.Expr) {
	s := e.AsSelect()
	of := c.typeOf(s.Operand()).TypeName()
	a, _ := kinds.attribute(of, s.FieldName())
	c.facts |= a.asks
	switch {
	case s.IsTestOnly() && of == variablesKind.name:
		c.refuse(e, "has cannot be applied to variables: compare them with null")
	case s.IsTestOnly() && (a.asks != 0 || of == clientPartyKind.name || of == performerPartyKind.name):
		c.refuse(e, `has cannot be applied to a party and its attributes: compare them with null or ""`)
	}
	c.noteRead(e)
}

// checkNesting refuses lists of lists: shared elements could make them arbitrarily large for free.
func (c *checker) checkNesting(e ast.Expr) {
	t := c.typeOf(e)
	if t == nil || t.Kind() != types.ListKind {
		return
	}
	element := t.Parameters()[0].Kind()
	isEmpty := e.Kind() == ast.ListKind && e.AsList().Size() == 0
	if element == types.ListKind || element == types.MapKind || element == types.DynKind && !isEmpty {
		c.refuse(e, "list elements must have one type, and must not be lists")
	}
}

func (c *checker) call(e ast.Expr) {
	call := e.AsCall()
	function, args := call.FunctionName(), call.Args()
	if call.IsMemberFunction() {
		args = append([]ast.Expr{call.Target()}, args...)
	}
	if len(args) > 0 && c.typeOf(args[0]).TypeName() == factsKind.name {
		c.facts |= repository.FactsOf(factsByName[function].asks)
	}
	c.noteNeeds(function, args)
	switch function {
	case operators.Equals, operators.NotEquals:
		c.checkOccurrence(function, args[0], args[1])
		c.checkComparable(e, args[0], args[1])
		c.convert(e, args[0], args[1])
	case operators.In, operators.OldIn:
		c.checkOccurrence(operators.In, args[0], args[1])
		c.checkMembership(e, args)
	case operators.Add:
		if c.typeOf(e).Kind() == types.ListKind && !isAccumulator(args[0]) {
			c.refuse(e, "lists cannot be added")
		}
		c.convert(e, args[0], args[1])
	case operators.Subtract, operators.Multiply, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		c.convert(e, args[0], args[1])
	case "decimal":
		c.literal(e, args[0], decimalFrom)
	case "date":
		c.literal(e, args[0], func(s string) ref.Val { return dateFrom(s, c.zone) })
	case "duration":
		c.literal(e, args[0], durationFrom)
	case "timestamp":
		c.literal(e, args[0], timestampFrom)
	case "matches":
		c.pattern(args[1])
	}
}

func isAccumulator(e ast.Expr) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == accumulator }

// literal replaces the call of a constructor by its value, if its argument is a text.
func (c *checker) literal(e, arg ast.Expr, value func(string) ref.Val) {
	text, ok := textOfLiteral(arg)
	if !ok {
		return
	}
	v := value(text)
	if err, failed := v.(*types.Err); failed {
		c.refuse(arg, "%v", err)
		return
	}
	e.SetKindCase(factory.NewLiteral(e.ID(), v))
}

// The limits of a regular expression: its time is its steps times the length of the text.
const (
	maxPattern = 256
	maxSteps   = 500
)

func (c *checker) pattern(arg ast.Expr) {
	text, ok := textOfLiteral(arg)
	if !ok {
		c.refuse(arg, "a regular expression must be a text in quotes")
		return
	}
	if len(text) > maxPattern {
		c.refuse(arg, "a regular expression must have at most %d characters", maxPattern)
		return
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		c.refuse(arg, "%v", err)
		return
	}
	program, err := syntax.Compile(parsed.Simplify())
	switch {
	case err != nil:
		c.refuse(arg, "%v", err)
	case len(program.Inst) > maxSteps:
		c.refuse(arg, "the regular expression is too complex: it repeats too much")
	default:
		c.steps[text] = len(program.Inst)
	}
}

func textOfLiteral(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}

// convert makes a decimal of the integer beside one.
func (c *checker) convert(e, a, b ast.Expr) {
	function := e.AsCall().FunctionName()
	switch {
	case c.isDecimal(a) && c.typeOf(b).Kind() == types.IntKind:
		e.SetKindCase(factory.NewCall(e.ID(), function, a, c.toDecimal(b)))
	case c.isDecimal(b) && c.typeOf(a).Kind() == types.IntKind:
		e.SetKindCase(factory.NewCall(e.ID(), function, c.toDecimal(a), b))
	}
}

func (c *checker) isDecimal(e ast.Expr) bool { return isDecimal(c.typeOf(e)) }

func (c *checker) toDecimal(e ast.Expr) ast.Expr {
	if e.Kind() == ast.LiteralKind {
		if d, ok := asDecimal(e.AsLiteral()); ok {
			return factory.NewLiteral(e.ID(), d)
		}
	}
	id := c.nextID
	c.nextID++
	c.tree.SetType(id, decimalType)
	c.tree.SetReference(id, ast.NewFunctionReference("int_to_decimal"))
	return factory.NewCall(id, "decimal", e)
}

// checkComparable refuses == between values that are never equal, or are records.
func (c *checker) checkComparable(e, a, b ast.Expr) {
	ta, tb := c.typeOf(a), c.typeOf(b)
	if !areComparable(ta, tb) && !areComparable(tb, ta) {
		c.refuse(e, "%s and %s cannot be compared%s", typeName(ta), typeName(tb), hint(ta, tb))
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
func (c *checker) checkMembership(e ast.Expr, args []ast.Expr) {
	t := c.typeOf(args[0])
	if !isScalar(t) && !isDecimal(t) {
		c.refuse(e, "%s cannot be looked for in a list", typeName(t))
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
	if t.IsExactType(countsType) {
		return "numbers by status"
	}
	name := cel.FormatCELType(t)
	if inner, ok := strings.CutPrefix(name, "wrapper("); ok {
		return strings.TrimSuffix(inner, ")")
	}
	return strings.TrimSuffix(name, "_type")
}
