package architecture

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strings"
)

// CheckClock complains of each place outside the given folders, tests apart,
// that reads the time of day: time.Now and what calls it.
func CheckClock(tree Tree, rooms []string) []string {
	var complaints []string
	for _, file := range tree.Files {
		inside := func(room string) bool { return within(file.Folder(), room) }
		if file.IsTest() || slices.ContainsFunc(rooms, inside) {
			continue
		}
		name := file.nameOf("time")
		ast.Inspect(file.Syntax, func(node ast.Node) bool {
			if called := clockCall(node, name); called != "" {
				complaints = append(complaints, fmt.Sprintf("%s: time.%s: the time is an argument here", file.at(node), called))
			}
			return true
		})
	}
	return complaints
}

// clockCall is the function of package time by which a node reads the clock,
// or empty. The package goes by the given name; "." is a dot import.
func clockCall(node ast.Node, name string) string {
	clock := []string{"Now", "Since", "Until"}
	switch node := node.(type) {
	case *ast.SelectorExpr:
		pkg, ok := node.X.(*ast.Ident)
		if ok && pkg.Name == name && slices.Contains(clock, node.Sel.Name) {
			return node.Sel.Name
		}
	case *ast.Ident:
		if name == "." && slices.Contains(clock, node.Name) {
			return node.Name
		}
	}
	return ""
}

// nameOf is the name by which a file knows an import of the standard library;
// empty if it does not import it.
func (f File) nameOf(imported string) string {
	for _, spec := range f.Syntax.Imports {
		if spec.Path.Value != `"`+imported+`"` {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(imported)
	}
	return ""
}

// CheckNames complains of packages whose folder or name is one of the given.
func CheckNames(tree Tree, vague []string) []string {
	found := map[string]bool{}
	for _, file := range tree.Files {
		name := strings.TrimSuffix(file.Package, "_test")
		if slices.Contains(vague, name) || slices.Contains(vague, path.Base(file.Folder())) {
			found[file.Folder()] = true
		}
	}
	var complaints []string
	for _, folder := range slices.Sorted(maps.Keys(found)) {
		complaints = append(complaints, folder+": the name does not say what the package holds")
	}
	return complaints
}

// CheckLengths complains of files with more lines than allowed, generated ones
// apart, and of entries in the list of exceptions that have no reason or no
// longer such a file.
func CheckLengths(tree Tree, lines int, exceptions map[string]string) []string {
	var complaints []string
	long := map[string]bool{}
	for _, file := range tree.Files {
		if file.Generated || file.Lines <= lines {
			continue
		}
		long[file.Path] = true
		if _, excepted := exceptions[file.Path]; !excepted {
			complaints = append(complaints, fmt.Sprintf("%s: %d lines, more than %d", file.Path, file.Lines, lines))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(exceptions)) {
		if !long[name] {
			complaints = append(complaints, name+": stands in the list of long files and is none")
		}
		if exceptions[name] == "" {
			complaints = append(complaints, name+": stands in the list of long files without a reason")
		}
	}
	return complaints
}
