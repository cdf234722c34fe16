package architecture

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Tree is the parsed source of the module.
type Tree struct {
	Module string // the module's path
	Files  []File // in the order of their paths
}

// File is one Go file.
type File struct {
	Path      string // from the module's root, with slashes
	Package   string // the name in the package clause
	Lines     int
	Generated bool
	Imports   []string
	Syntax    *ast.File
	Positions *token.FileSet
}

// ReadTree parses every Go file below root, whatever its build tags, except in
// testdata, in nested modules and in folders whose names begin with a dot or an
// underscore. The first syntax error is returned.
func ReadTree(module string, root fs.FS) (Tree, error) {
	tree := Tree{Module: module}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skipFolder(root, name)
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		file, err := readFile(root, name)
		if err != nil {
			return err
		}
		tree.Files = append(tree.Files, file)
		return nil
	})
	if err != nil {
		return Tree{}, fmt.Errorf("read the source tree: %w", err)
	}
	return tree, nil
}

func skipFolder(root fs.FS, name string) error {
	if name == "." {
		return nil
	}
	base := path.Base(name)
	if base == "testdata" || base[0] == '.' || base[0] == '_' {
		return fs.SkipDir
	}
	if _, err := fs.Stat(root, path.Join(name, "go.mod")); !errors.Is(err, fs.ErrNotExist) {
		return fs.SkipDir
	}
	return nil
}

func readFile(root fs.FS, name string) (File, error) {
	source, err := fs.ReadFile(root, name)
	if err != nil {
		return File{}, err
	}
	return parseFile(name, source)
}

func parseFile(name string, source []byte) (File, error) {
	positions := token.NewFileSet()
	syntax, err := parser.ParseFile(positions, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return File{}, err
	}
	file := File{
		Path:      name,
		Package:   syntax.Name.Name,
		Lines:     bytes.Count(source, []byte("\n")),
		Generated: ast.IsGenerated(syntax),
		Syntax:    syntax,
		Positions: positions,
	}
	for _, spec := range syntax.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return File{}, fmt.Errorf("%s: import %s: %w", name, spec.Path.Value, err)
		}
		file.Imports = append(file.Imports, imported)
	}
	return file, nil
}

// Folder is the path of the file's package from the module's root, which is "."
// itself.
func (f File) Folder() string { return path.Dir(f.Path) }

// IsTest reports whether the file is compiled by go test only.
func (f File) IsTest() bool { return strings.HasSuffix(f.Path, "_test.go") }

// functions returns the file's functions, without methods.
func (f File) functions() []*ast.FuncDecl {
	var list []*ast.FuncDecl
	for _, declaration := range f.Syntax.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && function.Recv == nil {
			list = append(list, function)
		}
	}
	return list
}

// at returns the position of a node as file:line.
func (f File) at(node ast.Node) string {
	return fmt.Sprintf("%s:%d", f.Path, f.Positions.Position(node.Pos()).Line)
}

// within reports whether the folder is the parent or lies below it.
func within(folder, parent string) bool {
	return folder == parent || strings.HasPrefix(folder, parent+"/")
}
