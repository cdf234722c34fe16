package compatibility

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/docs"
)

const root = "../.."

var release = flag.Bool("release", false, "make the present state the baseline: with a release only")

// listing has a description of each name: its type, for example.
type listing map[string]string

// add adds a name. One that is there already has both descriptions.
func (l listing) add(name, description string) {
	if before, ok := l[name]; ok && before != description {
		description = before + " or " + description
	}
	l[name] = description
}

func (l listing) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(l)) {
		b.WriteString(name + "\t" + l[name] + "\n")
	}
	return b.String()
}

func parseListing(text string) listing {
	l := listing{}
	for line := range strings.Lines(text) {
		name, description, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		l[name] = description
	}
	return l
}

// required is the end of the description of what a request must have.
const required = ", required"

// breaks returns a sentence for each name of the baseline that is gone or changed, and for each that existing requests
// lack, by name.
func breaks(baseline, present listing) map[string]string {
	found := map[string]string{}
	for name, before := range baseline {
		if now, ok := present[name]; !ok {
			found[name] = "is gone; it was " + before
		} else if now != before {
			found[name] = "was " + before + ", and is " + now
		}
	}
	for name, now := range present {
		_, old := baseline[name]
		if _, oldOwner := baseline[owner(name)]; !old && oldOwner && strings.HasSuffix(now, required) {
			found[name] = "is new and required"
		}
	}
	return found
}

// owner is what a name belongs to.
func owner(name string) string {
	if i := strings.LastIndexAny(name, ".?="); i >= 0 {
		return name[:i]
	}
	return ""
}

// announced reports whether the names contain this one, or what it belongs to. A schema of what is sent has the name of
// the record: InvoiceNew is Invoice.
func announced(names []string, name string) bool {
	for ; name != ""; name = owner(name) {
		schema, rest, isPart := strings.Cut(name, ".")
		schema = strings.TrimSuffix(strings.TrimSuffix(schema, "New"), "Changes")
		if isPart {
			schema += "." + rest
		}
		if slices.Contains(names, name) || slices.Contains(names, schema) {
			return true
		}
	}
	return false
}

var (
	unreleased = regexp.MustCompile(`(?s)\n## \[Unreleased\]\n(.*?)(?:\n## |\n\[|$)`)
	quoted     = regexp.MustCompile("`([^`]+)`")
)

// announcements returns the names in backquotes of the section Unreleased.
func announcements(t *testing.T) (names []string) {
	t.Helper()
	section := unreleased.FindStringSubmatch(contents(t, filepath.Join(root, "CHANGELOG.md")))
	if section == nil {
		t.Fatal("CHANGELOG.md has no section Unreleased")
	}
	for _, name := range quoted.FindAllStringSubmatch(section[1], -1) {
		names = append(names, name[1])
	}
	return names
}

func contents(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// contract 1.251
func TestBreaksAreInTheChangelog(t *testing.T) {
	present := map[string]string{
		"go.txt": goListing(t).String(), "names.txt": namesListing(t).String(), "openapi.json": string(docs.OpenAPI),
		"openapi-codegen.json": string(docs.OpenAPICodegen),
	}
	names := announcements(t)
	for file, text := range present {
		path := filepath.Join("baseline", file)
		if *release {
			write(t, path, text)
		}
		read := parseListing
		switch file {
		case "openapi.json":
			read = func(text string) listing { return restListing(t, text) }
		case "openapi-codegen.json": // the same API, with more that is required of responses
			continue
		}
		found := breaks(read(contents(t, path)), read(text))
		for _, name := range slices.Sorted(maps.Keys(found)) {
			if !announced(names, name) {
				t.Errorf("%s %s: if this is intended, say so in the section Unreleased of CHANGELOG.md, with `%s`", name, found[name], name)
			}
		}
	}
}

func TestBreaksAreFound(t *testing.T) {
	baseline := listing{
		"rule.Change": "struct", "rule.Change.After": "*S", "GET /rest/client": "listClients", "InvoiceNew": "object", "InvoiceNew.date": "string",
	}
	for name, c := range map[string]struct {
		change func(l listing)
		want   string // the name
	}{
		"nothing":                  {func(listing) {}, ""},
		"a new name":               {func(l listing) { l["rule.Change.Party"] = "*party.State" }, ""},
		"a new required name":      {func(l listing) { l["InvoiceNew.number"] = "string, required" }, "InvoiceNew.number"},
		"a new thing with one":     {func(l listing) { l["DealNew.number"] = "string, required" }, ""},
		"a name that is gone":      {func(l listing) { delete(l, "rule.Change.After") }, "rule.Change.After"},
		"a name that differs":      {func(l listing) { l["InvoiceNew.date"] = "integer" }, "InvoiceNew.date"},
		"a filter that is to come": {func(l listing) { l["GET /rest/client?name"] = "string, required" }, "GET /rest/client?name"},
	} {
		t.Run(name, func(t *testing.T) {
			present := maps.Clone(baseline)
			c.change(present)
			found := breaks(baseline, parseListing(present.String()))
			if _, ok := found[c.want]; len(found) > 1 || ok != (c.want != "") {
				t.Errorf("found are %v, want %q", found, c.want)
			}
		})
	}
	for name, want := range map[string]bool{
		"rule.Change": true, "rule.Change.After": true, "rule.Changes": false, "InvoiceNew.date": true, "Invoice.date": true,
		"Invoice.number": false, "GET /rest/client?name": true, "GET /rest/client?names": false,
	} {
		if got := announced([]string{"rule.Change", "Invoice.date", "GET /rest/client?name"}, name); got != want {
			t.Errorf("%s is announced: %v, want %v", name, got, want)
		}
	}
}
