package expression

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"

	"github.com/kontor-crm/kontor/domain/ruledef"
)

// explain is what is wrong with the source, a line for each error, and at most maxErrors
// lines.
func (s source) explain(errors []*cel.Error, x explainer) string {
	slices.SortStableFunc(errors, func(a, b *cel.Error) int {
		return cmp.Or(cmp.Compare(a.Location.Line(), b.Location.Line()), cmp.Compare(a.Location.Column(), b.Location.Column()))
	})
	var lines []string
	for _, e := range errors {
		line := printable(fmt.Sprintf("%s: %s", s.place(e), x.reword(e)), maxLine)
		if len(lines) < maxErrors && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// maxLine is the maximum length of a line, in characters.
const maxLine = 700

// printable is a text on one line and without control characters, cut where it is too long.
func printable(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F || r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		return r
	}, text)
	if characters := []rune(text); len(characters) > limit {
		return string(characters[:limit-1]) + "…"
	}
	return text
}

// place is the line and column of an error, both from 1.
func (s source) place(e *cel.Error) string {
	line, column := e.Location.Line(), e.Location.Column()+1
	if line <= 1 {
		line, column = 1, max(column, 1)+s.offset
	}
	return fmt.Sprintf("line %d, column %d", line, column)
}

// explainer rewords what the parser and the checker say.
type explainer struct {
	kind      *kind
	variables *kind                          // nil: none
	later     []ruledef.Variable             // that are not defined yet
	root      ast.Expr                       // nil: there is no tree
	functions map[string]*decls.FunctionDecl // nil: there is no tree
}

var (
	undeclared = regexp.MustCompile(`^undeclared reference to '([^']*)'`)
	undefined  = regexp.MustCompile(`^undefined field '([^']*)'`)
	noOverload = regexp.MustCompile(`^found no matching overload for '([^']*)' applied to '([^']*)'`)
	expected   = regexp.MustCompile(`^expected type '([^']*)' but found '([^']*)'`)
	unexpected = regexp.MustCompile(`^Syntax error: ` +
		`(?:mismatched input|extraneous input|no viable alternative at input|token recognition error at:) (.*)$`)
	tooDeep = regexp.MustCompile(`(?i)recursion (?:limit|depth) exceeded`)
	wrapper = regexp.MustCompile(`wrapper\(([a-z]+)\)`)
)

// unknownName explains a name that is no variable and no function.
func (x explainer) unknownName(name string, id int64) string {
	switch {
	case x.isFact(id):
		known := strings.Join(slices.Sorted(maps.Keys(factsByName)), ", ")
		return fmt.Sprintf("there is no function facts.%s; expected one of %s", name, known)
	case x.isAttribute(id, name):
		return fmt.Sprintf("%s is an attribute, and no function: write it without ()", name)
	}
	return fmt.Sprintf("there is no variable or function %s; "+
		"the variables are before, after, actor, now, operation, facts and variables", name)
}

func (x explainer) reword(e *cel.Error) string {
	m := wrapper.ReplaceAllString(e.Message, "$1")
	m = strings.NewReplacer("google.protobuf.Timestamp", "timestamp", "google.protobuf.Duration", "duration").Replace(m)
	if name := undeclared.FindStringSubmatch(m); name != nil {
		return x.unknownName(name[1], e.ExprID)
	}
	if name := undefined.FindStringSubmatch(m); name != nil {
		return x.noAttribute(name[1], x.operandAt(e.ExprID))
	}
	if call := noOverload.FindStringSubmatch(m); call != nil {
		if k := x.targetAt(e.ExprID); k != nil && !strings.HasPrefix(call[2], "list(") {
			return fmt.Sprintf("%s have no function %s; expected one of the attributes %s", k.name, call[1], strings.Join(k.names(), ", "))
		}
		return fmt.Sprintf("%s cannot be applied to %s%s", operatorName(call[1]), call[2], x.signatures(call[1], call[2]))
	}
	if types := expected.FindStringSubmatch(m); types != nil {
		return fmt.Sprintf("expected %s, but found %s", types[1], types[2])
	}
	if tooDeep.MatchString(m) {
		return fmt.Sprintf("it is nested too deeply; expected at most %d levels, or as many terms in a row", maxDepth)
	}
	if syntax := unexpected.FindStringSubmatch(m); syntax != nil {
		return syntaxError(syntax[1])
	}
	return strings.TrimPrefix(m, "Syntax error: ")
}

func syntaxError(m string) string {
	found, wanted, _ := strings.Cut(m, " expecting ")
	if wanted == "" || strings.HasPrefix(wanted, "{") {
		wanted = "a value or an operator"
	}
	if strings.HasPrefix(found, "'=") {
		wanted += ", such as == to compare"
	}
	return strings.NewReplacer("'<EOF>'", "end of the expression", "<EOF>", "an operator or the end of the expression").
		Replace(fmt.Sprintf("unexpected %s; expected %s", found, wanted))
}

// callAt returns what the member function with the id is called on; nil if there is no such call.
func (x explainer) callAt(id int64) (target ast.Expr) {
	if x.root != nil {
		ast.PostOrderVisit(x.root, ast.NewExprVisitor(func(e ast.Expr) {
			if e.ID() == id && e.Kind() == ast.CallKind && e.AsCall().IsMemberFunction() {
				target = e.AsCall().Target()
			}
		}))
	}
	return target
}

// isFact reports whether an expression is a call of a function of facts.
func (x explainer) isFact(id int64) bool {
	target := x.callAt(id)
	return target != nil && target.Kind() == ast.IdentKind && target.AsIdent() == "facts"
}

// targetAt returns the kind of the record on which a function is called; nil if it is called on something else.
func (x explainer) targetAt(id int64) *kind {
	if target := x.callAt(id); target != nil {
		return x.kindOf(target)
	}
	return nil
}

// isAttribute reports whether a function is called that is an attribute of the record.
func (x explainer) isAttribute(id int64, name string) bool {
	k := x.targetAt(id)
	if k == nil {
		return false
	}
	_, ok := k.attribute(name)
	return ok
}

func (x explainer) noAttribute(name string, operand *kind) string {
	switch {
	case operand == nil:
		return "there is no attribute " + name
	case operand == x.variables && slices.ContainsFunc(x.later, func(v ruledef.Variable) bool { return v.Name == name }):
		return fmt.Sprintf("variables.%s is not defined here: a variable can use those before it in the list", name)
	case len(operand.attributes) == 0:
		return "there is no attribute " + name
	}
	return fmt.Sprintf("there is no attribute %s; expected one of %s", name, strings.Join(operand.names(), ", "))
}

// operandAt returns the kind of the record that the selection with the id reads; nil if it is unknown.
func (x explainer) operandAt(id int64) (operand *kind) {
	if x.root != nil {
		ast.PostOrderVisit(x.root, ast.NewExprVisitor(func(e ast.Expr) {
			if e.ID() == id && e.Kind() == ast.SelectKind {
				operand = x.kindOf(e.AsSelect().Operand())
			}
		}))
	}
	return operand
}

// kindOf is the kind of an expression that is a variable or a fact; nil if it is none.
func (x explainer) kindOf(e ast.Expr) *kind {
	switch {
	case e.Kind() == ast.CallKind:
		return factsByName[e.AsCall().FunctionName()].kind
	case e.Kind() == ast.SelectKind:
		if k := x.kindOf(e.AsSelect().Operand()); k != nil {
			if a, ok := k.attribute(e.AsSelect().FieldName()); ok {
				return kinds[a.typ.TypeName()]
			}
		}
		return nil
	case e.Kind() != ast.IdentKind:
		return nil
	}
	switch e.AsIdent() {
	case "before", "after":
		return x.kind
	case "actor":
		return actorKind
	case variablesKind.name:
		return x.variables
	}
	return x.elementKind(e.AsIdent())
}

// elementKind is the kind of a variable of a macro; nil if it is unknown.
func (x explainer) elementKind(name string) (k *kind) {
	ast.PostOrderVisit(x.root, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.ComprehensionKind && e.AsComprehension().IterVar() == name {
			k = x.elementsOf(e.AsComprehension().IterRange())
		}
	}))
	return k
}

func (x explainer) elementsOf(list ast.Expr) *kind {
	switch list.Kind() {
	case ast.CallKind:
		return factsByName[list.AsCall().FunctionName()].kind
	case ast.SelectKind:
		if x.kind == paymentKind {
			return paymentItemKind
		}
		switch list.AsSelect().FieldName() {
		case "adjustments":
			return adjustmentKind
		case "notes":
			return noteKind
		}
		return lineKind // of items
	case ast.ComprehensionKind:
		return x.elementsOf(list.AsComprehension().IterRange()) // of filter
	}
	return nil
}

// signatures lists what a function can be applied to. An operator is listed for its first operand
// only, unless there is none of its type.
func (x explainer) signatures(function, operands string) string {
	f, ok := x.functions[function]
	switch {
	case strings.Contains(operands, "decimal") && strings.Contains(operands, "double"):
		return writeDecimal
	case !ok:
		return ""
	}
	var all, fitting []string
	for _, o := range f.OverloadDecls() {
		var names []string
		for _, t := range o.ArgTypes() {
			names = append(names, typeName(t))
		}
		list := "(" + strings.Join(names, ", ") + ")"
		if o.IsMemberFunction() {
			list = names[0] + ".(" + strings.Join(names[1:], ", ") + ")"
		}
		all = append(all, list)
		if !isWord(function) && strings.HasPrefix(operands, "("+names[0]+",") {
			fitting = append(fitting, list)
		}
	}
	if len(fitting) > 0 {
		all = fitting
	}
	return "; expected " + strings.Join(all, " or ")
}

// writeDecimal is the hint for those who calculate with inexact numbers.
const writeDecimal = `: write a number with a fraction as decimal("0.5")`

// isWord reports whether a function is no operator.
func isWord(function string) bool { return function[0] >= 'a' && function[0] <= 'z' }

func operatorName(function string) string {
	if isWord(function) {
		return function
	}
	return strings.NewReplacer("_", "", "@", "").Replace(function)
}
