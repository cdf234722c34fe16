//go:build full

package clients

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi"
	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/cmd/demo"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/rest"
	"github.com/kontor-crm/kontor/test/testserver"
)

// contract 1.53, 1.81
func TestPrismAcceptsEverySelectionOfFields(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	s := testserver.On(t, database)
	if err := demo.Run(t.Context(), io.Discard, s.Commands, s.URL); err != nil {
		t.Fatal(err)
	}
	token := testserver.Token(t, s.Service, "mira.berg", user.Admin)
	addRule(t, s.URL, database, token)
	p := copyProject(t, "prism", "NPM_CONFIG_UPDATE_NOTIFIER=false")
	p.run("npm ci --no-audit --no-fund --ignore-scripts")
	for document, selections := range map[string]func(o apidoc.Operation) []string{
		"openapi.json":         fieldSelections,
		"openapi-codegen.json": func(apidoc.Operation) []string { return []string{""} },
	} {
		proxy := p.prism(s.URL, document)
		requests := 0
		for _, o := range httpapi.Operations(bootstrap.Resources(nil, bootstrap.Commands{}, bootstrap.Trials{})) {
			if o.Method != http.MethodGet || o.Service != nil {
				continue
			}
			for _, fields := range selections(o) {
				checkValidated(t, proxy, token, o, fields)
				requests++
			}
		}
		t.Logf("%s: %d requests", document, requests)
	}
}

// addRule adds a rule with a violation and a trial, each with the id 1.
func addRule(t *testing.T, service, database, token string) {
	t.Helper()
	const rule = `{"name": "short", "resource": "deal", "on": ["create"], "expression": "size(after.name) <= 2", "message": "too long"}`
	for _, path := range []string{"/rest/rule", "/rest/rule-trial"} {
		if _, err := (rest.Client{URL: service, Token: token}).Call(t.Context(), http.MethodPost, path, rule, nil); err != nil {
			t.Fatal(err)
		}
	}
	const violation = "insert into rule_violations (rule_id, record_id, user_id, at, message) values (1, 1, 1, now(), 'too long')"
	if _, err := pgtest.Pool(t, database).Exec(t.Context(), violation); err != nil {
		t.Fatal(err)
	}
}

// prism runs a proxy that answers with a 500 what violates the document, and returns its
// address.
func (p project) prism(upstream, document string) string {
	p.t.Helper()
	_, port, _ := strings.Cut(rest.Free(p.t), ":")
	cmd := exec.CommandContext(p.t.Context(), filepath.Join(p.folder, "node_modules", ".bin", "prism"),
		"proxy", upstream+"/"+document, upstream, "--errors", "--host", "127.0.0.1", "--port", port)
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	proxy := "http://127.0.0.1:" + port
	for range 600 {
		if response, err := http.Get(proxy + "/healthz"); err == nil {
			response.Body.Close()
			return proxy
		}
		time.Sleep(100 * time.Millisecond)
	}
	p.t.Fatal("Prism does not listen")
	return ""
}

// fieldSelections are values of fields: none, each attribute alone, and all.
func fieldSelections(o apidoc.Operation) []string {
	names := o.Table.FieldNames(o.Verb != apidoc.List)
	return append([]string{"", strings.Join(names, ",")}, names...)
}

// checkValidated sends a request through the proxy, with all relations expanded. A 400 is
// right where a record of its type has no such attribute.
func checkValidated(t *testing.T, proxy, token string, o apidoc.Operation, fields string) {
	t.Helper()
	query := url.Values{"_format": {"json"}}
	if fields != "" {
		query.Set("fields", fields)
	}
	if len(o.Table.Expansions) > 0 {
		query.Set("expand", strings.Join(o.Table.Expansions, ","))
	}
	if o.Path == "/rest/contact" {
		query.Set("client_id", "1")
	}
	address := proxy + strings.ReplaceAll(o.Path, "{id}", "1") + "?" + query.Encode()
	got, err := rest.Client{URL: address, Token: token}.Send(t.Context(), http.MethodGet, "", nil)
	if err != nil || !json.Valid(got.Body) || got.Status != http.StatusOK && got.Status != http.StatusBadRequest {
		t.Errorf("%s: %v %.500s", address, err, got)
	}
}
