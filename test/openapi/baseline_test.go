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

// compared is what oasdiff finds broken in the document for those who rely on
// the baseline. It fails for warnings too: a parameter that is gone is one.
func compared(t *testing.T, document []byte) (report string, isBroken bool) {
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
		t.Fatalf("oasdiff does not run: %v\n%s", err, out)
	}
	return string(out), true
}

// A program that was written for the last release goes on working with this one.
func TestBaselineIsCompatibleWithTheDocument(t *testing.T) {
	t.Parallel()
	if *release {
		if err := os.WriteFile(baseline, indented(t, docs.OpenAPI), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if report, isBroken := compared(t, docs.OpenAPI); isBroken {
		t.Errorf("this would break those who rely on the last release:\n%s", report)
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

// node is an object of the document; at finds one inside it.
type node map[string]any

func (n node) at(names ...string) node {
	for _, name := range names {
		n = n[name].(map[string]any)
	}
	return n
}

// without takes away the elements of the list for which that holds.
func (n node) without(list string, gone func(node) bool) {
	all := n[list].([]any)
	kept := slices.DeleteFunc(slices.Clone(all), func(e any) bool { return gone(e.(map[string]any)) })
	if len(kept) == len(all) {
		panic("nothing to take away from " + list)
	}
	n[list] = kept
}

// rename gives something another name wherever the document speaks of it.
func (n node) rename(old, name string) {
	text, err := json.Marshal(n)
	clear(n)
	if err := errors.Join(err, json.Unmarshal([]byte(strings.ReplaceAll(string(text), old, name)), &n)); err != nil {
		panic(err)
	}
}

func named(name string) func(node) bool { return func(n node) bool { return n["name"] == name } }

// changes are made to the baseline; those with the name of a check break it.
var changes = []struct {
	what, check string
	change      func(document node)
}{
	{"a parameter is gone", "request-parameter-removed", func(d node) { d.at("paths", "/rest/client", "get").without("parameters", named("email")) }},
	{"a parameter allows less", "request-parameter-max-decreased", func(d node) {
		for _, p := range d.at("paths", "/rest/client", "get")["parameters"].([]any) {
			if n := node(p.(map[string]any)); n["name"] == "per_page" {
				n.at("schema")["maximum"] = 100
			}
		}
	}},
	{"an attribute is shown no more", "response-optional-property-removed", func(d node) {
		delete(d.at("components", "schemas", "Client", "properties"), "company_address")
	}},
	{"an attribute may be null", "response-property-type-changed", func(d node) {
		d.at("components", "schemas", "Client", "properties", "name")["type"] = []string{"string", "null"}
	}},
	{"an attribute looks otherwise", "response-property-pattern-changed", func(d node) {
		d.at("components", "schemas", "Invoice", "properties", "pay_price")["pattern"] = "^[0-9]+$"
	}},
	{"an attribute is taken no more", "request-property-removed", func(d node) {
		delete(d.at("components", "schemas", "ClientNew", "properties"), "phone")
	}},
	{"an attribute must be sent", "request-property-became-required", func(d node) {
		d.at("components", "schemas", "ClientNew")["required"] = []string{"name", "type", "email"}
	}},
	{"a path is gone", "api-path-removed-without-deprecation", func(d node) { delete(d.at("paths"), "/rest/deal/{id}/history") }},
	{"an operation has another name", "api-operation-id-removed", func(d node) { d.at("paths", "/rest/client", "get")["operationId"] = "clients" }},
	{"a format is gone", "response-media-type-removed", func(d node) {
		delete(d.at("paths", "/rest/client", "get", "responses", "200", "content"), "application/xml")
	}},
	{"a token has one place less", "api-global-security-removed", func(d node) {
		d.without("security", func(n node) bool { return n["basic"] != nil })
		delete(d.at("components", "securitySchemes"), "basic")
	}},
	{"a refusal is gone", "response-non-success-status-removed", func(d node) {
		delete(d.at("paths", "/rest/deal", "get", "responses"), "401")
	}},
	{"a record has another name", "api-schema-removed", func(d node) { d.rename("OfferChanges", "OfferPatch") }},

	{"a parameter more", "", func(d node) {
		n := d.at("paths", "/rest/client", "get")
		n["parameters"] = append(n["parameters"].([]any), node{"name": "city", "in": "query", "schema": node{"type": "string"}})
	}},
	{"an attribute more", "", func(d node) {
		d.at("components", "schemas", "Client", "properties")["city"] = node{"type": "string"}
		d.at("components", "schemas", "ClientNew", "properties")["city"] = node{"type": "string"}
	}},
	{"other words", "", func(d node) { d.at("info")["description"] = "Kontor" }},
}

// changed is the baseline after those of the changes that break it, or after the
// others.
func changed(t *testing.T, breaks func(check string) bool) []byte {
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
		if breaks(c.check) {
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
	report, isBroken := compared(t, changed(t, func(check string) bool { return check != "" }))
	if !isBroken {
		t.Error("nothing is broken")
	}
	for _, c := range changes {
		if !strings.Contains(report, "["+c.check+"]") && c.check != "" {
			t.Errorf("%s, and there is no %s in\n%s", c.what, c.check, report)
		}
	}
}

func TestBaselineComparisonAcceptsAdditions(t *testing.T) {
	t.Parallel()
	if report, isBroken := compared(t, changed(t, func(check string) bool { return check == "" })); isBroken {
		t.Error(report)
	}
}
