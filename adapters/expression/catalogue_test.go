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
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/expression"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

var update = flag.Bool("update", false, "rewrite docs/rule-catalogue.md")

const catalogue = "../../docs/rule-catalogue.md"

func TestRuleCatalogueIsUpToDate(t *testing.T) {
	want := catalogueOf(t)
	if *update {
		if err := os.WriteFile(catalogue, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(catalogue)
	if err != nil || string(got) != want {
		t.Errorf("docs/rule-catalogue.md is out of date: run make docs (%v)", err)
	}
}

func catalogueOf(t *testing.T) string {
	t.Helper()
	rules, err := rule.NewRegistry(nil, nil, bootstrap.RuleOptions(bootstrap.Config{})...)
	if err != nil {
		t.Fatal(err)
	}
	compiler, err := expression.NewCompiler(time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# Catalogue of rules\n\nThis page lists the rules that are compiled into Kontor, and what the expression of a [typed rule](rules.md#the-language)\n" +
		"can use. It is generated from the code by `make docs`.\n\n## Compiled rules\n\n| Rule | Resource | Judges | Mode | Meaning |\n|---|---|---|---|---|\n")
	meanings := meaningsOfRules(t)
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
	b.WriteString("\n## Variables\n\n`before` and `after` have these attributes, by resource:\n\n| Resource | Attributes |\n|---|---|\n")
	for _, resource := range ruledef.Resources {
		fmt.Fprintf(&b, "| `%s` | %s |\n", resource, codes(expression.AttributesOf(resource)))
	}
	fmt.Fprintf(&b, "\n| Variable | Attributes or type |\n|---|---|\n| `actor` | %s |\n| `now` | `timestamp` |\n| `operation` | `string` |\n| `facts` | the functions below |\n",
		codes(expression.AttributesOfActor()))
	b.WriteString("\n## Functions\n\n```\n" + strings.Join(compiler.Signatures(), "\n") + "\n```\n")
	return b.String()
}

func codes(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

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
