package packaging

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

func TestConfigurationOfHaproxyIsTheDocumentedOne(t *testing.T) {
	_, documented, _ := strings.Cut(text(t, "docs/operations.md"), "```haproxy\n")
	documented, _, _ = strings.Cut(documented, "```\n")
	_, shipped, _ := strings.Cut(text(t, "deploy/haproxy.cfg"), "global\n")
	shipped, _, _ = strings.Cut("global\n"+shipped, "\nresolvers ")
	address := regexp.MustCompile(`(?m)^( *server [ab]) .*$`)
	if diff := cmp.Diff(address.ReplaceAllString(documented, "$1"), address.ReplaceAllString(shipped, "$1")); diff != "" {
		t.Errorf("deploy/haproxy.cfg differs from docs/operations.md:\n%s", diff)
	}
}

// Compose cannot repeat a service of another file.
func TestInstancesHaveTheSameSettings(t *testing.T) {
	first, second := service(t, "compose.yaml", "kontor"), service(t, "deploy/instances.yaml", "kontor-b")
	added := service(t, "deploy/instances.yaml", "kontor")
	maps.Copy(first["environment"].(map[string]any), added["environment"].(map[string]any))
	for _, differs := range []string{"networks", "ports"} { // only one of them has a port of its own
		delete(first, differs)
		delete(second, differs)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the instances differ:\n%s", diff)
	}
}

// service is a service of a compose file.
func service(t *testing.T, file, name string) map[string]any {
	t.Helper()
	var read struct{ Services map[string]map[string]any }
	if err := yaml.Unmarshal([]byte(text(t, file)), &read); err != nil {
		t.Fatal(err)
	}
	if read.Services[name] == nil {
		t.Fatalf("%s has no service %s", file, name)
	}
	return read.Services[name]
}
