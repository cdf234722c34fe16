package expression_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/expression"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

var update = flag.Bool("update", false, "rewrite the catalogue in docs/rules.md")

func TestRuleCatalogueIsUpToDate(t *testing.T) {
	const name, begin, end = "../../docs/rules.md", "<!-- catalogue: written by make docs -->\n", "<!-- end of catalogue -->"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, opened := strings.Cut(string(text), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("%s has no place for the catalogue", name)
	}
	want := head + begin + "\n" + catalogueOf(t) + "\n" + end + tail
	if *update && want != string(text) {
		if err := os.WriteFile(name, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Error("the catalogue of rules is out of date: make docs regenerates it")
	}
}

func catalogueOf(t *testing.T) string {
	t.Helper()
	rules, err := rule.NewRegistry(nil, nil,
		rule.Clients.Rules(rule.ClientStaysWithManager{}), rule.Deals.Rules(rule.DealStaysWithManager{}))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("### Compiled rules\n\n| Rule | Resource | Judges | Mode | Meaning |\n|---|---|---|---|---|\n")
	meanings := meaningsOfRules(t)
	if len(meanings) != len(rules.Compiled()) {
		t.Errorf("this test knows %d of %d rules", len(rules.Compiled()), len(meanings))
	}
	for _, c := range rules.Compiled() {
		if meanings[c.Name] == "" {
			t.Errorf("the rule %s has no comment", c.Name)
		}
		mode := "always " + c.Mode.String()
		if c.Adjustable {
			mode = c.Mode.String() + "; can be changed"
		}
		on := strings.Join(ruledef.Of(ruledef.Create, ruledef.Update, ruledef.Delete).Names(), ", ")
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", c.Name, c.Resource, on, mode, meanings[c.Name])
	}
	b.WriteString("\n### Attributes\n\n`before`, `after` and the records of facts have these attributes, by resource. One with a question mark may\nbe " +
		"null, and so may the `id` of a new record or line.\n\n| Resource | Attributes |\n|---|---|\n")
	for _, resource := range ruledef.Resources {
		attributes := expression.AttributesOf(resource)
		for _, a := range attributes {
			name, typ, _ := strings.Cut(a, " ")
			if want := typ != "string" && isOptional(resource, name); strings.HasSuffix(typ, "?") != want {
				t.Errorf("%s of %s: whether it may be null is %v, want %v", a, resource, !want, want)
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", resource, listed(attributes))
		switch resource {
		case "invoice":
			fmt.Fprintf(&b, "| a line of `items` | %s |\n", listed(expression.AttributesOfLine()))
			fmt.Fprintf(&b, "| the `terms` of an invoice | %s |\n", listed(expression.AttributesOfTerms()))
		case "payment":
			fmt.Fprintf(&b, "| an item of a payment | %s |\n", listed(expression.AttributesOfPaymentItem()))
		case "client", "performer":
			fmt.Fprintf(&b, "| the `party` of a %s | %s |\n", resource, listed(expression.AttributesOfParty(resource)))
		}
	}
	compiler, err := expression.NewCompiler(time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "\n### Functions\n\nBeside operators, `all`, `exists`, `exists_one`, `filter`, `map` and `has`: `%s`.\n",
		strings.Join(expression.FunctionNames(compiler), "`, `"))
	return b.String()
}

func listed(attributes []string) string {
	var all []string
	for _, a := range attributes {
		name, typ, _ := strings.Cut(a, " ")
		all = append(all, "`"+name+"` "+typ)
	}
	return strings.Join(all, ", ")
}

// isOptional reports whether an attribute may be null in a rule: one of the API, a link that a contact
// does not have, the deal that is not opened yet for a new invoice, or a party.
func isOptional(resource, name string) bool {
	if resource == "contact" && name != "id" || resource == "invoice" && name == "deal_id" || name == "party" {
		return true
	}
	attributes := tables[resource].Attributes
	i := slices.IndexFunc(attributes, func(a readmodel.Attribute) bool { return a.Name == name })
	return i >= 0 && attributes[i].Optional
}

// meaningsOfRules are the first sentences of the comments of rules, by the names that their
// methods Name return.
func meaningsOfRules(t *testing.T) map[string]string {
	t.Helper()
	isNoTest := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
	packages, err := parser.ParseDir(token.NewFileSet(), "../../application/rule", isNoTest, parser.ParseComments) //nolint:staticcheck // no types are needed
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, described := range doc.New(packages["rule"], "rule", doc.AllDecls|doc.PreserveAST).Types {
		for _, method := range described.Methods {
			if method.Name != "Name" || len(method.Decl.Body.List) != 1 {
				continue
			}
			returned, _ := method.Decl.Body.List[0].(*ast.ReturnStmt)
			if returned == nil {
				continue
			}
			if name, ok := returned.Results[0].(*ast.BasicLit); ok {
				all[strings.Trim(name.Value, `"`)] = meaning(described)
			}
		}
	}
	return all
}

// meaning is the first sentence of a comment, without its beginning.
func meaning(of *doc.Type) string {
	text := strings.TrimPrefix(new(doc.Package).Synopsis(of.Doc), of.Name+" is the rule that ")
	return strings.ToUpper(text[:1]) + text[1:]
}
