package architecture

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
)

// Public is a package that other modules may import.
type Public struct {
	Folder string
	// Names are what they may use, with methods as Type.Method; nil: all that the package
	// exports.
	Names []string
	// Own are further exported names, for Kontor itself. With Names, both together are all
	// that the package exports; nil: any.
	Own []string
}

func (p Public) has(name string) bool { return p.Names == nil || slices.Contains(p.Names, name) }

func publicIn(packages []Public, folder string) (found Public, ok bool) {
	i := slices.IndexFunc(packages, func(p Public) bool { return p.Folder == folder })
	if i < 0 {
		return found, false
	}
	return packages[i], true
}

// CheckPublicNames complains of names that a public package exports beyond its lists, and of
// names in a list that it does not export.
func CheckPublicNames(tree Tree, packages []Public) []string {
	var complaints []string
	for _, p := range packages {
		exported := tree.exportsOf(p.Folder)
		for _, e := range exported {
			if p.Own != nil && !p.has(e.name) && !slices.Contains(p.Own, e.name) {
				complaints = append(complaints, e.at+": exports "+e.name+", which is in no list of public names")
			}
		}
		for _, name := range slices.Concat(p.Names, p.Own) {
			if !slices.ContainsFunc(exported, func(e export) bool { return e.name == name }) {
				complaints = append(complaints, p.Folder+": does not export "+name+", which is in a list of public names")
			}
		}
		if len(exported) == 0 {
			complaints = append(complaints, p.Folder+": exports nothing")
		}
	}
	return complaints
}

// CheckPublicTypes complains of public names whose declaration shows a type of the module
// that is not public.
func CheckPublicTypes(tree Tree, packages []Public) []string {
	var complaints []string
	for _, p := range packages {
		for _, e := range tree.exportsOf(p.Folder) {
			if !p.has(e.name) {
				continue
			}
			for _, shown := range e.shows {
				folder, inside := strings.CutPrefix(shown.path, tree.Module+"/")
				of, ok := publicIn(packages, folder)
				if inside && (!ok || !of.has(shown.name)) {
					complaints = append(complaints, fmt.Sprintf("%s: %s shows %s.%s, which is not public", e.at, e.name, folder, shown.name))
				}
			}
		}
	}
	return complaints
}

// CheckUse complains of what the code of another module uses of this one without being
// public.
func CheckUse(module string, other Tree, packages []Public) []string {
	var complaints []string
	for _, file := range other.Files {
		for _, used := range file.uses() {
			folder, ok := strings.CutPrefix(used.path, module+"/")
			if of, public := publicIn(packages, folder); ok && (!public || !of.has(used.name)) {
				complaints = append(complaints, fmt.Sprintf("%s: uses %s.%s, which is not public", file.Path, folder, used.name))
			}
		}
	}
	return complaints
}

// export is an exported name, with what its declaration shows to importers.
type export struct {
	name, at string
	shows    []identifier
}

// identifier is an exported name of a package.
type identifier struct{ path, name string }

// exportsOf returns the names that a package exports, those of methods as Type.Method.
func (t Tree) exportsOf(folder string) (list []export) {
	for _, file := range t.Files {
		if file.Folder() != folder || file.IsTest() {
			continue
		}
		for _, declaration := range file.Syntax.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				if name, ok := exportedFunction(d); ok {
					list = append(list, export{name, file.at(d), file.shownBy(d.Type)})
				}
			case *ast.GenDecl:
				list = append(list, file.exportsIn(d)...)
			}
		}
	}
	for i := range list {
		list[i].shows = t.complete(folder, list, list[i].shows)
	}
	return list
}

// complete gives names without a package that of the folder, and drops those that it does
// not export, such as those of type parameters.
func (t Tree) complete(folder string, exported []export, names []identifier) (completed []identifier) {
	for _, n := range names {
		switch {
		case n.path != "":
			completed = append(completed, n)
		case slices.ContainsFunc(exported, func(e export) bool { return e.name == n.name }):
			completed = append(completed, identifier{t.Module + "/" + folder, n.name})
		}
	}
	return completed
}

// exportedFunction returns the name of an exported function, or of an exported method of an
// exported type.
func exportedFunction(d *ast.FuncDecl) (name string, ok bool) {
	if d.Recv == nil {
		return d.Name.Name, d.Name.IsExported()
	}
	of := receiver(d.Recv.List[0].Type)
	return of + "." + d.Name.Name, ast.IsExported(of) && d.Name.IsExported()
}

// receiver returns the name of a method's type.
func receiver(of ast.Expr) string {
	switch e := of.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func (f File) exportsIn(d *ast.GenDecl) (list []export) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				list = append(list, export{s.Name.Name, f.at(s), f.shownBy(s)})
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() {
					list = append(list, export{name.Name, f.at(s), f.shownBy(s)})
				}
			}
		}
	}
	return list
}

// shownBy returns the names of types in a declaration as importers see it: without values
// and without fields that are not exported. Those of its own package have no path.
func (f File) shownBy(declaration ast.Node) (names []identifier) {
	ast.Inspect(declaration, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.ValueSpec:
			if n.Type != nil {
				names = append(names, f.shownBy(n.Type)...)
			}
			for _, value := range n.Values {
				if literal, ok := value.(*ast.CompositeLit); ok && literal.Type != nil {
					names = append(names, f.shownBy(literal.Type)...)
				}
			}
			return false
		case *ast.StructType:
			for _, field := range n.Fields.List {
				if len(field.Names) == 0 || slices.ContainsFunc(field.Names, (*ast.Ident).IsExported) {
					names = append(names, f.shownBy(field.Type)...)
				}
			}
			return false
		case *ast.Field:
			names = append(names, f.shownBy(n.Type)...)
			return false
		case *ast.SelectorExpr:
			names = append(names, f.selected(n)...)
			return false
		case *ast.Ident:
			if n.IsExported() {
				names = append(names, identifier{"", n.Name})
			}
		}
		return true
	})
	return names
}

// uses returns the names of other packages that the file refers to.
func (f File) uses() (names []identifier) {
	ast.Inspect(f.Syntax, func(node ast.Node) bool {
		if n, ok := node.(*ast.SelectorExpr); ok {
			names = append(names, f.selected(n)...)
		}
		return true
	})
	return names
}

// selected returns the name of another package that an expression selects; none if it
// selects a field or a method.
func (f File) selected(e *ast.SelectorExpr) []identifier {
	of, ok := e.X.(*ast.Ident)
	if !ok {
		return nil
	}
	for i, spec := range f.Syntax.Imports {
		if spec.Name != nil && spec.Name.Name == of.Name || spec.Name == nil && path.Base(f.Imports[i]) == of.Name {
			return []identifier{{f.Imports[i], e.Sel.Name}}
		}
	}
	return nil
}
