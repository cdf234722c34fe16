package architecture

import "testing"

func TestCheckDiagramComparesArrowsWithImports(t *testing.T) {
	const picture = "```mermaid\nflowchart TD\n    cmd[\"cmd: program\"] --> adapters\n    subgraph adapters\n" +
		"        web[\"http: pages\"] --> parts[\"body, encode\"]\n        web --> store --> pool\n    end\n" +
		"    adapters --> application[\"application: command\"]\n```\n"
	graph := func(storeImports ...string) Graph {
		return Graph{
			"cmd": {"adapters/http"}, "adapters/http": {"adapters/http/body", "adapters/store", "adapters/pool", "application/command"},
			"adapters/http/body": nil, "adapters/http/encode": nil, "adapters/store": storeImports, "adapters/pool": nil,
			"application/command": nil, "application/command/inner": nil,
		}
	}
	same(t, CheckDiagram(graph("adapters/pool"), picture), nil)
	same(t, CheckDiagram(graph("adapters/pool", "adapters/http/encode"), picture),
		[]string{"the diagram has no arrow for the import of adapters/http/encode by adapters/store"})
	same(t, CheckDiagram(graph(), picture), []string{"the diagram has an arrow from store to pool, which is no import"})
	more := graph("adapters/pool")
	more["adapters/mail"], more["application/query"] = nil, nil
	same(t, CheckDiagram(more, picture), []string{"the diagram has no adapters/mail", "the diagram has no application/query"})
}
