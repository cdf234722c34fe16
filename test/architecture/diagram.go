package architecture

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// diagram is a Mermaid flowchart of packages. A node stands for the packages that its label
// names in front of a colon, or has its package as identifier.
type diagram struct {
	nodes  map[string]string   // the node of each package, by the last part of its folder
	arrows map[string][]string // from each node
}

var (
	flowchart   = regexp.MustCompile("(?s)```mermaid\nflowchart .*?```")
	node        = regexp.MustCompile(`^(\w+)(?:\["(.*)"\])?$`)
	subgraphEnd = []string{"end", "```"}
)

// readDiagram reads the first flowchart of a page.
func readDiagram(page string) diagram {
	d := diagram{map[string]string{}, map[string][]string{}}
	for line := range strings.SplitSeq(flowchart.FindString(page), "\n") {
		line = strings.TrimSpace(line)
		if slices.Contains(subgraphEnd, line) {
			continue
		}
		last := ""
		for part := range strings.SplitSeq(line, " --> ") {
			parts := node.FindStringSubmatch(part)
			if parts == nil {
				break // a subgraph or the first line
			}
			id, label := parts[1], parts[2]
			if label == "" {
				label = id
			}
			names, _, _ := strings.Cut(label, ":")
			if _, listed, ok := strings.Cut(label, ": "); ok && (id == "application" || id == "ports") {
				names = listed
			}
			for name := range strings.SplitSeq(names, ", ") {
				if _, ok := d.nodes[name]; !ok || parts[2] != "" {
					d.nodes[name] = id
				}
			}
			if last != "" {
				d.arrows[last] = append(d.arrows[last], id)
			}
			last = id
		}
	}
	return d
}

// leads reports whether arrows lead from one node to the other.
func (d diagram) leads(from, to string) bool {
	return from == to || slices.ContainsFunc(d.arrows[from], func(next string) bool { return d.leads(next, to) })
}

// CheckDiagram complains of each adapter, port and package of the application that is not in
// the page's first flowchart, of each import between adapters that has no arrows there, and
// of each arrow between adapters that is no import.
func CheckDiagram(graph Graph, page string) []string {
	var complaints []string
	d := readDiagram(page)
	imports := map[[2]string]bool{} // between nodes
	adapters := map[string]bool{}   // nodes
	for _, folder := range slices.Sorted(maps.Keys(graph)) {
		top, below, _ := strings.Cut(folder, "/")
		isDrawn := top == "adapters" || (top == "ports" || top == "application") && below != "" && !strings.Contains(below, "/")
		from, ok := d.nodes[path.Base(folder)]
		if isDrawn && !ok {
			complaints = append(complaints, "the diagram has no "+folder)
		}
		if top != "adapters" || !ok {
			continue
		}
		adapters[from] = true
		for _, imported := range graph[folder] {
			to, ok := d.nodes[path.Base(imported)]
			if !ok || !within(imported, "adapters") {
				continue
			}
			imports[[2]string{from, to}] = true
			if !d.leads(from, to) {
				complaints = append(complaints, fmt.Sprintf("the diagram has no arrow for the import of %s by %s", imported, folder))
			}
		}
	}
	for _, from := range slices.Sorted(maps.Keys(d.arrows)) {
		for _, to := range d.arrows[from] {
			if adapters[from] && adapters[to] && !imports[[2]string{from, to}] {
				complaints = append(complaints, fmt.Sprintf("the diagram has an arrow from %s to %s, which is no import", from, to))
			}
		}
	}
	return complaints
}
