package architecture

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strings"
)

// CheckClock complains of each place outside the given folders and outside tests
// that reads the clock: time.Now and the functions that call it.
func CheckClock(tree Tree, folders []string) []string {
	var complaints []string
	for _, file := range tree.Files {
		inside := func(folder string) bool { return within(file.Folder(), folder) }
		if file.IsTest() || slices.ContainsFunc(folders, inside) {
			continue
		}
		name := file.nameOf("time")
		ast.Inspect(file.Syntax, func(node ast.Node) bool {
			if called := clockCall(node, name); called != "" {
				complaints = append(complaints, fmt.Sprintf("%s: time.%s: the time must be a parameter here", file.at(node), called))
			}
			return true
		})
	}
	return complaints
}

// clockCall returns the function of package time, imported by that name, by which a
// node reads the clock, or an empty string. "." is a dot import.
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

// nameOf returns the name of an import of the standard library in the file; empty
// if it is not imported.
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
		complaints = append(complaints, folder+": the name does not describe the package")
	}
	return complaints
}

// CheckLengths complains of files that are too long, except generated ones, and of
// exceptions without a reason or without such a file.
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
			complaints = append(complaints, name+": is in the list of long files but short")
		}
		if exceptions[name] == "" {
			complaints = append(complaints, name+": is in the list of long files without a reason")
		}
	}
	return complaints
}
