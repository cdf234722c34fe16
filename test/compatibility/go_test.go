package compatibility

import (
	"errors"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	module   = "github.com/kontor-crm/kontor/"
	internal = "internal to Kontor: " // marks a type of a package that is not stable
)

// goListing has the exported names of the stable packages, which docs/extending.md lists.
func goListing(t *testing.T) listing {
	t.Helper()
	stable := stablePackages(t)
	command := exec.CommandContext(t.Context(), "go",
		append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, stable...)...)
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	g := goNames{listing: listing{}, stable: stable}
	for _, path := range stable {
		// Reading the folder makes Go repeat the test when a file in it has changed.
		_, err := os.ReadDir(filepath.Join(root, strings.TrimPrefix(path, module)))
		p, importErr := compiled.Import(path)
		if err := errors.Join(err, importErr); err != nil {
			t.Fatal(err)
		}
		for _, name := range p.Scope().Names() {
			if object := p.Scope().Lookup(name); object.Exported() {
				g.object(object)
			}
		}
	}
	return g.listing
}

// stablePackages returns the paths of the packages in the list of docs/extending.md.
func stablePackages(t *testing.T) (paths []string) {
	t.Helper()
	_, section, _ := strings.Cut(contents(t, filepath.Join(root, "docs", "extending.md")), "\n## Stable packages\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "| `") {
			cell, _, _ := strings.Cut(line[2:], " | ")
			for _, name := range quoted.FindAllStringSubmatch(cell, -1) {
				paths = append(paths, module+name[1])
			}
		}
	}
	slices.Sort(paths)
	return paths
}

// goNames collects the exported names of stable packages. Those that use a type of another package of Kontor are internal.
type goNames struct {
	listing listing
	stable  []string
}

func (g goNames) add(name, description string) {
	if !strings.Contains(description, internal) {
		g.listing.add(name, description)
	}
}

func (g goNames) object(object types.Object) {
	name := object.Pkg().Name() + "." + object.Name()
	switch o := object.(type) {
	case *types.Const:
		g.add(name, "const "+g.text(o.Type())+" = "+o.Val().ExactString())
	case *types.Func:
		g.add(name, g.text(o.Type()))
	case *types.TypeName:
		g.typeName(name, o)
	default:
		g.add(name, "var "+g.text(o.Type()))
	}
}

func (g goNames) typeName(name string, o *types.TypeName) {
	parameters := ""
	if named, ok := o.Type().(*types.Named); ok {
		for of := range named.TypeParams().TypeParams() {
			parameters += " of " + g.text(of.Constraint())
		}
		for method := range named.Methods() {
			if method.Exported() {
				g.add(name+"."+method.Name(), g.text(method.Type()))
			}
		}
	}
	switch of := o.Type().Underlying().(type) {
	case *types.Struct:
		g.add(name, "struct"+parameters)
		for field := range of.Fields() {
			if field.Exported() {
				g.add(name+"."+field.Name(), "field "+g.text(field.Type()))
			}
		}
	case *types.Interface:
		g.add(name, "interface"+parameters)
		for method := range of.Methods() { // a new one is missing in what implements the interface
			g.add(name+"."+method.Name(), g.text(method.Type())+required)
		}
	default:
		g.add(name, "type"+parameters+" "+g.text(of))
	}
}

// text is the text of a type with short names of packages, and without the names of parameters, which may change.
func (g goNames) text(t types.Type) string {
	return types.TypeString(bare(t), func(p *types.Package) string {
		if strings.HasPrefix(p.Path(), module) && !slices.Contains(g.stable, p.Path()) {
			return internal + p.Name()
		}
		return p.Name()
	})
}

func bare(t types.Type) types.Type {
	if f, ok := t.(*types.Signature); ok {
		return types.NewSignatureType(nil, nil, nil, bareTuple(f.Params()), bareTuple(f.Results()), f.Variadic())
	}
	return t
}

func bareTuple(of *types.Tuple) *types.Tuple {
	var all []*types.Var
	for v := range of.Variables() {
		all = append(all, types.NewVar(token.NoPos, nil, "", bare(v.Type())))
	}
	return types.NewTuple(all...)
}
