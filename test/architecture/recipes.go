package architecture

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Recipe is a recipe of a page: numbered steps that name the files to change. Its model
// is an existing example of what the recipe adds. The files that mention the model are
// those that have to be changed.
//
// Chose: comparing the steps with the files of a model. Because: a further place that
// lists attributes, filters or resources one by one has the model in it too. Costs: a
// place that is needed but lists no models, such as one that counts them, is not found.
type Recipe struct {
	Title string
	// Model are the words that a file mentions if it has the model; a word may have
	// alternatives, as in "a|b". See words.
	Model []string
	// Except are files that mention the model for another reason, which is the value.
	Except map[string]string
}

// CheckRecipes complains of each file of the product that mentions the model of a recipe
// but is in none of its steps, of each file in a step that does not mention the model, and
// of exceptions that have no reason or no use.
func CheckRecipes(tree Tree, page string, recipes []Recipe) []string {
	var complaints []string
	product := map[string]map[string]bool{}
	for _, file := range tree.Files {
		if !file.IsTest() && !within(file.Folder(), "test") {
			product[file.Path] = words(file)
		}
	}
	for _, r := range recipes {
		complaints = append(complaints, r.check(product, steps(page, r.Title))...)
	}
	return complaints
}

func (r Recipe) check(product map[string]map[string]bool, steps []string) []string {
	complain := func(format string, args ...any) string {
		return fmt.Sprintf("recipe %q: ", r.Title) + fmt.Sprintf(format, args...)
	}
	if len(steps) == 0 {
		return []string{complain("no steps found")}
	}
	var complaints []string
	model := strings.Join(r.Model, " and ")
	for _, file := range slices.Sorted(maps.Keys(product)) {
		isMentioned, isStep := r.mentions(product[file]), slices.Contains(steps, file)
		reason, isExcepted := r.Except[file]
		switch {
		case isExcepted && (!isMentioned || isStep || reason == ""):
			complaints = append(complaints, complain("the exception %s has no reason or no use", file))
		case isMentioned && !isStep && !isExcepted:
			complaints = append(complaints, complain("%s mentions %s, but is in no step", file, model))
		case isStep && !isMentioned:
			complaints = append(complaints, complain("%s is in a step, but does not mention %s", file, model))
		}
	}
	for _, file := range append(steps, slices.Sorted(maps.Keys(r.Except))...) {
		if product[file] == nil {
			complaints = append(complaints, complain("there is no file %s", file))
		}
	}
	return complaints
}

func (r Recipe) mentions(words map[string]bool) bool {
	for _, alternatives := range r.Model {
		if !slices.ContainsFunc(strings.Split(alternatives, "|"), func(word string) bool { return words[word] }) {
			return false
		}
	}
	return true
}

var (
	nextHeading = regexp.MustCompile(`(?m)^##`)
	// step is a line that begins with a number, with the indented lines that continue it.
	step = regexp.MustCompile(`(?m)^\d+\. .*(\n {3}.*)*`)
	// goFile is a Go file in backquotes.
	goFile = regexp.MustCompile("`([a-z][a-z0-9_/]*\\.go)`")
)

// steps returns the Go files that the numbered steps below a heading of the page name.
func steps(page, title string) (files []string) {
	_, section, ok := strings.Cut(page, "\n### "+title+"\n")
	if !ok {
		return nil
	}
	if end := nextHeading.FindStringIndex(section); end != nil {
		section = section[:end[0]]
	}
	for _, s := range step.FindAllString(section, -1) {
		for _, match := range goFile.FindAllStringSubmatch(s, -1) {
			files = append(files, match[1])
		}
	}
	return files
}

// word is a word in a text, such as the name of a column in a statement.
var word = regexp.MustCompile(`\w+`)

// words returns the words of a file, without its comments and imports: the name of its
// package; each identifier x; p.x for a name x of package p; each word x in a text, and "x"
// for a text that is only x.
func words(file File) map[string]bool {
	found := map[string]bool{file.Package: true}
	for _, declaration := range file.Syntax.Decls {
		if d, ok := declaration.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			continue
		}
		for _, name := range declared(declaration) {
			found[file.Package+"."+name] = true
		}
		ast.Inspect(declaration, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.Ident:
				found[n.Name] = true
			case *ast.SelectorExpr:
				if p, ok := n.X.(*ast.Ident); ok {
					found[p.Name+"."+n.Sel.Name] = true
				}
			case *ast.BasicLit:
				text, err := strconv.Unquote(n.Value)
				if n.Kind != token.STRING || err != nil {
					break
				}
				found[strconv.Quote(text)] = true
				for _, w := range word.FindAllString(text, -1) {
					found[w] = true
				}
			}
			return true
		})
	}
	return found
}

// declared returns the names that a declaration of a package gives to types and functions.
func declared(declaration ast.Decl) (names []string) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if t, ok := spec.(*ast.TypeSpec); ok {
				names = append(names, t.Name.Name)
			}
		}
	}
	return names
}
