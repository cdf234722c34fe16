//go:build full

package api_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testserver"
)

// test/clients has projects with one scenario each, which are also examples. A test copies a project and runs the commands in the
// header of the scenario, on the document of a running service, as users do.
type generatedClient struct {
	*testing.T
	project     string
	environment []string
}

func generateClient(t *testing.T, language string, environment ...string) generatedClient {
	t.Helper()
	s := testserver.On(t, pgtest.URL(t))
	token := testserver.Token(t, s.Service, "mira", user.Admin)
	project := filepath.Join(t.TempDir(), language)
	if err := os.CopyFS(project, os.DirFS(filepath.Join("..", "clients", language))); err != nil {
		t.Fatal(err)
	}
	return generatedClient{t, project, slices.Concat(os.Environ(), []string{"KONTOR_URL=" + s.URL, "KONTOR_TOKEN=" + token}, environment)}
}

func (c generatedClient) run(name string, args ...string) string {
	c.Helper()
	command := exec.CommandContext(c.Context(), name, args...)
	command.Dir, command.Env = c.project, c.environment
	out, err := command.CombinedOutput()
	if err != nil {
		c.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// The project is a module of its own, because the product must not depend on the imports of generated code.
//
// contract 1.53, 1.81
func TestGeneratedClientCreatesAnInvoice(t *testing.T) {
	t.Parallel()
	programs := t.TempDir()
	c := generateClient(t, "golang", "GOWORK=off", "PATH="+programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
	build := exec.CommandContext(t.Context(), "go", "build", "-modfile=../../.ci/tools.mod", "-o", programs,
		"github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if warned := c.run("go", "generate", "./kontor"); warned != "" {
		t.Errorf("oapi-codegen warns:\n%s", warned)
	}
	c.run("go", "vet", "-mod=readonly", "./...")
	c.run("go", "run", "-mod=readonly", ".")
}

// contract 1.53, 1.81
func TestGeneratedTypeScriptClientPaysAnInvoice(t *testing.T) {
	t.Parallel()
	c := generateClient(t, "typescript")
	c.run("npm", "install", "--no-audit", "--no-fund", "--silent")
	c.run("npm", "run", "generate")
	c.run("npm", "run", "check")
	if out := c.run("npm", "start"); !strings.Contains(out, "2026-001: 1980.0000 of 2980.0000 is due") {
		t.Errorf("it prints %s", out)
	}
}
