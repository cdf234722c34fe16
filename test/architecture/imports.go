package architecture

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Graph maps each package to its imports: packages of the module by their folder
// ("domain/money"), others by their import path.
type Graph map[string][]string

// Graph is the import graph of the programs, without tests.
func (t Tree) Graph() Graph {
	return t.graph(func(f File) bool { return !f.IsTest() })
}

// TestGraph is the import graph including the packages' own tests.
func (t Tree) TestGraph() Graph {
	return t.graph(func(File) bool { return true })
}

func (t Tree) graph(keep func(File) bool) Graph {
	sets := map[string]map[string]bool{}
	for _, file := range t.Files {
		if !keep(file) {
			continue
		}
		imports := sets[file.Folder()]
		if imports == nil {
			imports = map[string]bool{}
			sets[file.Folder()] = imports
		}
		for _, imported := range file.Imports {
			imports[t.local(imported)] = true
		}
	}
	graph := Graph{}
	for folder, imports := range sets {
		delete(imports, folder) // an external test imports its own package
		graph[folder] = slices.Sorted(maps.Keys(imports))
	}
	return graph
}

func (t Tree) local(imported string) string {
	if imported == t.Module {
		return "."
	}
	return strings.TrimPrefix(imported, t.Module+"/")
}

// Layer is a folder with everything below it, and the imports allowed there. The
// deepest layer that contains a package applies.
type Layer struct {
	Folder string
	// Allow names folders of the module and import paths, as the go command does:
	// "a/b" is that package, "a/b/..." includes those below it, and "std" is the
	// standard library.
	Allow []string
	// Deny are exceptions from Allow, in the same form.
	Deny []string
}

// CheckLayers complains of each import that is not allowed, with the chain of
// imports from a program, and of each package outside all layers.
func CheckLayers(graph Graph, layers []Layer) []string {
	var complaints []string
	for _, folder := range slices.Sorted(maps.Keys(graph)) {
		layer, ok := layerOf(folder, layers)
		if !ok {
			complaints = append(complaints, folder+": belongs to no layer")
			continue
		}
		for _, imported := range graph[folder] {
			if layer.allows(graph, imported) {
				continue
			}
			chain := append(graph.chainFromProgram(folder), imported)
			complaints = append(complaints, fmt.Sprintf("%s: %s may not import %s",
				strings.Join(chain, " -> "), layer.Folder, imported))
		}
	}
	return complaints
}

func layerOf(folder string, layers []Layer) (found Layer, ok bool) {
	for _, layer := range layers {
		if within(folder, layer.Folder) && (!ok || len(layer.Folder) > len(found.Folder)) {
			found, ok = layer, true
		}
	}
	return found, ok
}

func (l Layer) allows(graph Graph, imported string) bool {
	matches := func(pattern string) bool {
		if pattern == "std" {
			return graph.isStandard(imported)
		}
		if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
			return within(imported, tree)
		}
		return imported == pattern
	}
	return slices.ContainsFunc(l.Allow, matches) && !slices.ContainsFunc(l.Deny, matches)
}

// isStandard reports whether an import belongs to the standard library: the host
// name of a module has a dot.
func (g Graph) isStandard(imported string) bool {
	if _, own := g[imported]; own {
		return false
	}
	host, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(host, ".")
}

// ForbiddenPath is a dependency that must not exist, not even through other
// packages.
type ForbiddenPath struct {
	From, To string // folders, with everything below them
	Why      string // the reason
}

// CheckPaths complains of each package with a forbidden dependency, with the
// shortest chain of imports.
func CheckPaths(graph Graph, paths []ForbiddenPath) []string {
	var complaints []string
	for _, forbidden := range paths {
		for _, folder := range slices.Sorted(maps.Keys(graph)) {
			if !within(folder, forbidden.From) {
				continue
			}
			chain := graph.chain(folder, func(reached string) bool { return within(reached, forbidden.To) })
			if chain != nil {
				complaints = append(complaints, fmt.Sprintf("%s: %s", strings.Join(chain, " -> "), forbidden.Why))
			}
		}
	}
	return complaints
}

// chain returns the shortest path from a package to the first other package that is
// wanted, both included; nil if there is none.
func (g Graph) chain(from string, wanted func(string) bool) []string {
	cameFrom := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for _, next := range g[queue[0]] {
			if _, seen := cameFrom[next]; seen {
				continue
			}
			cameFrom[next] = queue[0]
			if wanted(next) {
				return trace(cameFrom, next)
			}
			queue = append(queue, next)
		}
	}
	return nil
}

func trace(cameFrom map[string]string, last string) []string {
	var chain []string
	for at := last; at != ""; at = cameFrom[at] {
		chain = append(chain, at)
	}
	slices.Reverse(chain)
	return chain
}

// chainFromProgram returns the path from a program below cmd to the package, or
// just the package if no program includes it.
func (g Graph) chainFromProgram(folder string) []string {
	for _, program := range slices.Sorted(maps.Keys(g)) {
		if !within(program, "cmd") || program == folder {
			continue
		}
		if chain := g.chain(program, func(reached string) bool { return reached == folder }); chain != nil {
			return chain
		}
	}
	return []string{folder}
}
