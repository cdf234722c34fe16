package program

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

// skeleton is a rule or reaction whose Go files are written.
type skeleton struct {
	Name     string // such as "no-deals-on-sunday"
	Package  string
	resource string
	kind     skeletonKind
}

// skeletonKind is a rule or a reaction.
type skeletonKind struct {
	name       string
	method     string // of a rule.Kind that adds it
	code, test *template.Template
}

var (
	//go:embed skeleton_rule.tmpl
	ruleText string
	//go:embed skeleton_reaction.tmpl
	reactionText string
)

var (
	ruleSkeleton     = newSkeletonKind("rule", "Rules", ruleText)
	reactionSkeleton = newSkeletonKind("reaction", "Reactions", reactionText)
)

func newSkeletonKind(name, method, text string) skeletonKind {
	all := template.Must(template.New(name).Parse(text))
	return skeletonKind{name: name, method: method, code: all.Lookup("code"), test: all.Lookup("test")}
}

// subject is what the rules of a resource are about, in Go and in words.
type subject struct {
	Kind    string // the rule.Kind
	State   string // the type of its records
	Package string // of this type, below domain
	A       string // the resource with its article
}

var subjects = map[string]subject{
	"client":       {"Clients", "client.State", "client", "a client"},
	"contact":      {"Contacts", "contact.State", "contact", "a contact"},
	"contract":     {"Contracts", "document.State[document.ContractID]", "document", "a contract"},
	"deal":         {"Deals", "deal.State", "deal", "a deal"},
	"deal-type":    {"DealTypes", "catalog.LabelState[catalog.DealTypeID]", "catalog", "a deal type"},
	"invoice":      {"Invoices", "invoice.State", "invoice", "an invoice"},
	"invoice-type": {"InvoiceTypes", "catalog.LabelState[catalog.InvoiceTypeID]", "catalog", "an invoice type"},
	"offer":        {"Offers", "document.State[document.OfferID]", "document", "an offer"},
	"performer":    {"Performers", "performer.State", "performer", "a performer"},
	"status":       {"Statuses", "catalog.StatusState", "catalog", "a status"},
	"user":         {"Users", "user.State", "user", "a user"},
}

func (s skeleton) Subject() subject { return subjects[s.resource] }

// Type returns the name of the Go type, such as NoDealsOnSunday.
func (s skeleton) Type() string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(s.Name, isSeparator) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// File returns the name of the file, without its extension. It has no underscore, before
// which the go command would look for a system or for "test".
func (s skeleton) File() string {
	return strings.Join(strings.FieldsFunc(s.Name, isSeparator), "-")
}

func isSeparator(r rune) bool { return strings.ContainsRune("-._", r) }

// Imports returns the import declarations of the packages, given below the root of Kontor's
// module, and of that of the subject.
func (s skeleton) Imports(packages ...string) string {
	packages = append(packages, "domain/"+s.Subject().Package)
	slices.Sort(packages)
	var b strings.Builder
	for _, p := range slices.Compact(packages) {
		fmt.Fprintf(&b, "\t%q\n", "github.com/kontor-crm/kontor/"+p)
	}
	return b.String()
}

func (s skeleton) render(t *template.Template) ([]byte, error) {
	var b bytes.Buffer
	if err := t.Execute(&b, s); err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}

// packageIn returns the package of the Go files in the folder. Without any it is main in the
// root of a module, and elsewhere the folder's name. An error says that the package has the
// type.
func packageIn(folder, newType string) (name string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	name = packageNamedAfter(folder)
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".go" {
			continue
		}
		path := filepath.Join(folder, entry.Name())
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		name = strings.TrimSuffix(file.Name.Name, "_test")
		if declares(file, newType) {
			return "", fmt.Errorf("%s declares %s already: choose another name", path, newType)
		}
	}
	return name, nil
}

// packageNamedAfter returns the package of a folder without Go files.
func packageNamedAfter(folder string) string {
	path, err := filepath.Abs(folder)
	if err != nil {
		return "main"
	}
	name := strings.ToLower(filepath.Base(path))
	_, err = os.Stat(filepath.Join(path, "go.mod"))
	if err == nil || !token.IsIdentifier(name) {
		return "main"
	}
	return name
}

func declares(file *ast.File, name string) bool {
	for _, declaration := range file.Decls {
		d, ok := declaration.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range d.Specs {
			if t, ok := spec.(*ast.TypeSpec); ok && t.Name.Name == name {
				return true
			}
		}
	}
	return false
}
