package compatibility

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	settingRow   = regexp.MustCompile("(?m)^\\| (`KONTOR_[^|]*) \\| ([^|]*) \\|")
	metricRow    = regexp.MustCompile("(?m)^\\| `(kontor_[a-z_]+)` \\| ([^|]*) \\|")
	attributeRow = regexp.MustCompile("(?m)^\\| (?:`([a-z-]+)`|(?:the|a) (?:line of )?`(\\w+)`(?: of an? (\\w+))?) \\| (`id` .*|`\\w+` \\w.*) \\|$")
	attribute    = regexp.MustCompile("`(\\w+)` ([^,|]+)")
)

// namesListing has the settings, the metrics, and the functions and attributes of expressions. It reads the pages, which
// other tests compare with the program.
func namesListing(t *testing.T) listing {
	t.Helper()
	l := listing{}
	running := contents(t, filepath.Join(root, "docs", "running.md"))
	for _, row := range settingRow.FindAllStringSubmatch(running, -1) {
		names, defaults := quoted.FindAllStringSubmatch(row[1], -1), strings.Split(row[2], ", ")
		for i, name := range names {
			byDefault := row[2]
			if len(defaults) == len(names) {
				byDefault = defaults[i]
			}
			l.add(name[1], "a setting, by default "+byDefault)
		}
	}
	for _, row := range metricRow.FindAllStringSubmatch(running, -1) {
		l.add(row[1], "a metric with the labels "+row[2])
	}
	rules := contents(t, filepath.Join(root, "docs", "rules.md"))
	_, catalogue, _ := strings.Cut(rules, "<!-- catalogue:")
	for _, row := range attributeRow.FindAllStringSubmatch(catalogue, -1) {
		of := row[1] + row[3]
		if row[2] != "" {
			of = strings.Trim(of+"."+row[2], ".")
		}
		for _, a := range attribute.FindAllStringSubmatch(row[4], -1) {
			l.add("expression "+of+"."+a[1], a[2])
		}
	}
	_, functions, _ := strings.Cut(catalogue, "### Functions\n")
	functions, _, _ = strings.Cut(functions, "<!-- end")
	for _, name := range quoted.FindAllStringSubmatch(functions, -1) {
		l.add(name[1], "a function of expressions")
	}
	for _, part := range []string{
		"KONTOR_LISTEN", "kontor_build_info", "expression client.name", "expression client.party.vat_id", "expression items.price",
		"facts.client", "lower",
	} {
		if l[part] == "" {
			t.Errorf("the pages do not list %s", part)
		}
	}
	return l
}
