package openapi_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/docs"
)

var release = flag.Bool("release", false, "make the document the new baseline: only when there is a release")

const baseline = "baseline.json"

// baselines are the documents by the files of their last release.
var baselines = map[string][]byte{baseline: docs.OpenAPI, "baseline-codegen.json": docs.OpenAPICodegen}

// compare reports the breaking changes of the document since the baseline. Warnings
// count too: a removed parameter is one.
func compare(t *testing.T, baseline string, document []byte) (report string, isBroken bool) {
	t.Helper()
	revision := filepath.Join(t.TempDir(), "revision.json")
	if err := os.WriteFile(revision, document, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "go", "tool", "-modfile="+filepath.Join("..", "..", ".ci", "oasdiff.mod"), "oasdiff",
		"breaking", "--fail-on", "WARN", "--severity-levels", "severities.txt", "--format", "singleline", baseline, revision)
	out, err := command.CombinedOutput()
	if err == nil {
		return string(out), false
	}
	if command.ProcessState == nil || command.ProcessState.ExitCode() != 1 {
		t.Fatalf("oasdiff failed: %v\n%s", err, out)
	}
	return string(out), true
}

func TestBaselineIsCompatibleWithTheDocument(t *testing.T) {
	t.Parallel()
	for name, document := range baselines {
		if *release {
			if err := os.WriteFile(name, indented(t, document), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if report, isBroken := compare(t, name, document); isBroken {
			t.Errorf("the document breaks clients of the last release, %s:\n%s", name, report)
		}
	}
}

func indented(t *testing.T, document []byte) []byte {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(json.RawMessage(document)); err != nil {
		t.Fatal(err)
	}
	return []byte(b.String())
}

// node is an object of the document.
type node map[string]any

// at is a nested object.
func (n node) at(names ...string) node {
	for _, name := range names {
		n = n[name].(map[string]any)
	}
	return n
}

// remove removes the matching elements of a list.
func (n node) remove(list string, matches func(node) bool) {
	all := n[list].([]any)
	kept := slices.DeleteFunc(slices.Clone(all), func(e any) bool { return matches(e.(map[string]any)) })
	if len(kept) == len(all) {
		panic("nothing to remove from " + list)
	}
	n[list] = kept
}

// rename replaces a name everywhere.
func (n node) rename(old, name string) {
	text, err := json.Marshal(n)
	clear(n)
	if err := errors.Join(err, json.Unmarshal([]byte(strings.ReplaceAll(string(text), old, name)), &n)); err != nil {
		panic(err)
	}
}

func named(name string) func(node) bool { return func(n node) bool { return n["name"] == name } }

// changes of the baseline; breaking ones have the name of the check that finds them.
var changes = []struct {
	what, check string
	change      func(document node)
}{
	{"a removed parameter", "request-parameter-removed", func(d node) { d.at("paths", "/rest/client", "get").remove("parameters", named("email")) }},
	{"a lower maximum", "request-parameter-max-decreased", func(d node) {
		for _, p := range d.at("paths", "/rest/client", "get")["parameters"].([]any) {
			if n := node(p.(map[string]any)); n["name"] == "per_page" {
				n.at("schema")["maximum"] = 100
			}
		}
	}},
	{"an attribute removed from responses", "response-optional-property-removed", func(d node) {
		delete(d.at("components", "schemas", "Client", "properties"), "company_address")
	}},
	{"a nullable attribute", "response-property-type-changed", func(d node) {
		d.at("components", "schemas", "Client", "properties", "name")["type"] = []string{"string", "null"}
	}},
	{"another pattern", "response-property-pattern-changed", func(d node) {
		d.at("components", "schemas", "Invoice", "properties", "pay_price")["pattern"] = "^[0-9]+$"
	}},
	{"an attribute removed from requests", "request-property-removed", func(d node) {
		delete(d.at("components", "schemas", "ClientNew", "properties"), "phone")
	}},
	{"a required attribute", "request-property-became-required", func(d node) {
		d.at("components", "schemas", "ClientNew")["required"] = []string{"name", "type", "email"}
	}},
	{"a removed path", "api-path-removed-without-deprecation", func(d node) { delete(d.at("paths"), "/rest/deal/{id}/history") }},
	{"a renamed operation", "api-operation-id-removed", func(d node) { d.at("paths", "/rest/client", "get")["operationId"] = "clients" }},
	{"a removed format", "response-media-type-removed", func(d node) {
		delete(d.at("paths", "/rest/client", "get", "responses", "200", "content"), "application/xml")
	}},
	{"a removed security scheme", "api-global-security-removed", func(d node) {
		d.remove("security", func(n node) bool { return n["basic"] != nil })
		delete(d.at("components", "securitySchemes"), "basic")
	}},
	{"a removed error", "response-non-success-status-removed", func(d node) {
		delete(d.at("paths", "/rest/deal", "get", "responses"), "401")
	}},
	{"a renamed schema", "api-schema-removed", func(d node) { d.rename("OfferChanges", "OfferPatch") }},

	{"a new parameter", "", func(d node) {
		n := d.at("paths", "/rest/client", "get")
		n["parameters"] = append(n["parameters"].([]any), node{"name": "city", "in": "query", "schema": node{"type": "string"}})
	}},
	{"a new attribute", "", func(d node) {
		d.at("components", "schemas", "Client", "properties")["city"] = node{"type": "string"}
		d.at("components", "schemas", "ClientNew", "properties")["city"] = node{"type": "string"}
	}},
	{"another description", "", func(d node) { d.at("info")["description"] = "Kontor" }},
}

// changedBaseline is the baseline after the changes whose check matches.
func changedBaseline(t *testing.T, matches func(check string) bool) []byte {
	t.Helper()
	text, err := os.ReadFile(baseline)
	if err != nil {
		t.Fatal(err)
	}
	var d node
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		if matches(c.check) {
			c.change(d)
		}
	}
	if text, err = json.Marshal(d); err != nil {
		t.Fatal(err)
	}
	return text
}

func TestBaselineComparisonFindsBreakingChanges(t *testing.T) {
	t.Parallel()
	report, isBroken := compare(t, baseline, changedBaseline(t, func(check string) bool { return check != "" }))
	if !isBroken {
		t.Error("no breaking change is found")
	}
	for _, c := range changes {
		if !strings.Contains(report, "["+c.check+"]") && c.check != "" {
			t.Errorf("%s: there is no %s in\n%s", c.what, c.check, report)
		}
	}
}

func TestBaselineComparisonAcceptsAdditions(t *testing.T) {
	t.Parallel()
	if report, isBroken := compare(t, baseline, changedBaseline(t, func(check string) bool { return check == "" })); isBroken {
		t.Error(report)
	}
}
