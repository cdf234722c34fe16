package architecture

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Graph says which package imports which: the module's own packages by their
// folder ("domain/money"), all others by their import path.
type Graph map[string][]string

// Graph is the import graph of what is compiled into programs.
func (t Tree) Graph() Graph {
	return t.graph(func(f File) bool { return !f.IsTest() })
}

// TestGraph is the import graph with the packages' own tests in it.
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

// A Room is a folder with everything below it, and what its packages may
// import. Of two rooms that hold a package the deeper one speaks for it.
type Room struct {
	Folder string
	// Allow names folders of the module and import paths, as the go command
	// does: "a/b" is that package, "a/b/..." it and all below it, "std" the
	// standard library.
	Allow []string
	// Deny takes away again what Allow gives, in the same words.
	Deny []string
}

// CheckRooms complains of each import that its room does not allow, with the
// chain that brings it into a program, and of each package that no room speaks
// for.
func CheckRooms(graph Graph, rooms []Room) []string {
	var complaints []string
	for _, folder := range slices.Sorted(maps.Keys(graph)) {
		room, ok := roomOf(folder, rooms)
		if !ok {
			complaints = append(complaints, folder+": belongs to no room")
			continue
		}
		for _, imported := range graph[folder] {
			if room.allows(graph, imported) {
				continue
			}
			chain := append(graph.chainFromProgram(folder), imported)
			complaints = append(complaints, fmt.Sprintf("%s: %s may not import %s",
				strings.Join(chain, " -> "), room.Folder, imported))
		}
	}
	return complaints
}

func roomOf(folder string, rooms []Room) (found Room, ok bool) {
	for _, room := range rooms {
		if within(folder, room.Folder) && (!ok || len(room.Folder) > len(found.Folder)) {
			found, ok = room, true
		}
	}
	return found, ok
}

func (r Room) allows(graph Graph, imported string) bool {
	matches := func(pattern string) bool {
		if pattern == "std" {
			return graph.isStandard(imported)
		}
		if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
			return within(imported, tree)
		}
		return imported == pattern
	}
	return slices.ContainsFunc(r.Allow, matches) && !slices.ContainsFunc(r.Deny, matches)
}

// isStandard tells the standard library from other modules by the dot that a
// module's host name has.
func (g Graph) isStandard(imported string) bool {
	if _, own := g[imported]; own {
		return false
	}
	host, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(host, ".")
}

// A Wall keeps packages apart that must not meet on any path.
type Wall struct {
	From, To string // folders, with everything below them
	Why      string
}

// CheckWalls complains of each package that reaches over a wall, and prints
// the shortest chain of imports that does.
func CheckWalls(graph Graph, walls []Wall) []string {
	var complaints []string
	for _, wall := range walls {
		for _, folder := range slices.Sorted(maps.Keys(graph)) {
			if !within(folder, wall.From) {
				continue
			}
			chain := graph.chain(folder, func(reached string) bool { return within(reached, wall.To) })
			if chain != nil {
				complaints = append(complaints, fmt.Sprintf("%s: %s", strings.Join(chain, " -> "), wall.Why))
			}
		}
	}
	return complaints
}

// chain is the shortest path from a package to the first that is wanted, both
// included; nil if there is none. The package itself does not count.
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

// chainFromProgram is how a package gets into a program below cmd, or just the
// package if it is in none.
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
