package expression

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
)

// always are the rules in whose changes a variable is always null, by the variable.
var always = map[string]struct {
	on    ruledef.Operations
	other string // the variable that is not null
}{
	"before": {ruledef.Of(ruledef.Create), "after"},
	"after":  {ruledef.Of(ruledef.Delete), "before"},
}

// checkNull refuses attributes of a variable that is always null, unless an expression of the rule compares
// it with null: the rule may be meant for other operations too.
func (w *compilation) checkNull() {
	for name, null := range always {
		if w.rule.On != null.on || w.compared[name] {
			continue
		}
		for _, c := range w.checkers {
			for _, e := range c.reads[name] {
				c.refuse(e, "%s is always null in a rule for %s only; read %s", name, w.rule.On, null.other)
			}
			if len(c.problems) > 0 {
				w.refused.Add(c.source.field, "%s", c.source.explain(c.problems, explainer{}))
			}
		}
	}
}

// checkOptional refuses to calculate with an attribute that may be null, unless an expression of the rule compares it with null.
func (w *compilation) checkOptional() {
	for _, c := range w.checkers {
		before := len(c.problems)
		for _, e := range c.needed {
			if path := pathOf(e); !w.compared[path] {
				c.refuse(e, "%s may be null, for which the rule fails: compare it with null first, such as %s != null && …", path, path)
			}
		}
		if len(c.problems) > before {
			w.refused.Add(c.source.field, "%s", c.source.explain(c.problems[before:], explainer{}))
		}
	}
}

// noteRead notes that an attribute of before or after is read, maybe of its party, or that has compares it with null.
func (c *checker) noteRead(e ast.Expr) {
	s := e.AsSelect()
	switch o := s.Operand(); {
	case o.Kind() == ast.SelectKind:
		c.noteNeed(o)
	case o.Kind() != ast.IdentKind:
	case s.IsTestOnly():
		c.compared[pathOf(e)] = true
	default:
		c.reads[o.AsIdent()] = append(c.reads[o.AsIdent()], e)
	}
}

// pathOf returns a variable, or an attribute of one such as after.paid_on or after.party.iban; empty for another expression.
func pathOf(e ast.Expr) string {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent()
	case ast.SelectKind:
		if of := pathOf(e.AsSelect().Operand()); of != "" {
			return of + "." + e.AsSelect().FieldName()
		}
	}
	return ""
}

// takeNull are the functions and operators whose operands may be null. Those of facts may too.
var takeNull = []string{
	operators.Equals, operators.NotEquals, operators.In, operators.OldIn, operators.Conditional, operators.LogicalAnd, operators.LogicalOr,
	operators.LogicalNot, operators.NotStrictlyFalse, operators.Index,
}

// noteNeeds notes the operands of a function that needs values, if they are optional attributes.
func (c *checker) noteNeeds(function string, args []ast.Expr) {
	if slices.Contains(takeNull, function) || len(args) > 0 && c.typeOf(args[0]).TypeName() == factsKind.name {
		return
	}
	for _, e := range args {
		c.noteNeed(e)
	}
}

// noteNeed notes an expression whose value is needed, if it is an optional attribute.
func (c *checker) noteNeed(e ast.Expr) {
	if e.Kind() != ast.SelectKind || e.AsSelect().IsTestOnly() {
		return
	}
	if variable, _, _ := strings.Cut(pathOf(e), "."); variable != "before" && variable != "after" {
		return
	}
	s := e.AsSelect()
	if a, _ := kinds.attribute(c.typeOf(s.Operand()).TypeName(), s.FieldName()); a.isOptional {
		c.needed = append(c.needed, e)
	}
}

// checkOccurrence checks the operands of a comparison: a literal that the other operand cannot have is
// refused.
func (c *checker) checkOccurrence(function string, a, b ast.Expr) {
	for _, pair := range [][2]ast.Expr{{a, b}, {b, a}} {
		if pair[1].Kind() == ast.LiteralKind && pair[1].AsLiteral() == types.NullValue {
			c.compared[pathOf(pair[0])] = true
		}
	}
	literals := []ast.Expr{a, b}
	if function == operators.In && b.Kind() == ast.ListKind {
		literals = b.AsList().Elements()
	}
	for _, operand := range []ast.Expr{a, b} {
		name, possible, hint := values(operand)
		for _, l := range literals {
			if text, ok := textOfLiteral(l); ok && name != "" && !slices.Contains(possible, text) {
				c.refuse(l, "%s is never %q; expected %s%s", name, text, strings.Join(possible[:3], ", "), hint)
			}
		}
	}
}

// values returns what the operation or the role of the actor can be; name is empty for another
// expression.
func values(e ast.Expr) (name string, possible []string, hint string) {
	switch {
	case e.Kind() == ast.IdentKind && e.AsIdent() == "operation":
		return "operation", []string{"create", "update", "delete"}, ""
	case e.Kind() != ast.SelectKind || e.AsSelect().FieldName() != "role":
		return "", nil, ""
	}
	if o := e.AsSelect().Operand(); o.Kind() != ast.IdentKind || o.AsIdent() != "actor" {
		return "", nil, ""
	}
	return "actor.role", []string{user.Admin.String(), user.Manager.String(), user.Viewer.String(), ""}, `, or "" at the command line`
}

// fieldProblem returns what is wrong with the field of a rule; empty if nothing is.
func (k *kind) fieldProblem(field string) string {
	if field == "" || slices.Contains(k.names(), field) {
		return ""
	}
	return fmt.Sprintf("is not an attribute of the resource; expected one of %s", strings.Join(k.names(), ", "))
}
