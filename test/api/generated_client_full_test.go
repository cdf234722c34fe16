//go:build full

package api_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testserver"
)

// test/clients/golang is a project with one scenario, which is also an example. The test copies the project and runs the
// commands in the header of the scenario, on the document of a running service, as users do. The project is a module of its
// own, because the product must not depend on the imports of generated code.
//
// contract 1.53, 1.81
func TestGeneratedClientCreatesAnInvoice(t *testing.T) {
	t.Parallel()
	s := testserver.On(t, pgtest.URL(t))
	token := testserver.Token(t, s.Service, "mira", user.Admin)
	programs, project := t.TempDir(), filepath.Join(t.TempDir(), "golang")
	if err := os.CopyFS(project, os.DirFS("../clients/golang")); err != nil {
		t.Fatal(err)
	}
	run := func(folder, name string, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), name, args...)
		command.Dir = folder
		command.Env = append(os.Environ(), "KONTOR_URL="+s.URL, "KONTOR_TOKEN="+token, "GOWORK=off", "PATH="+programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		return string(out)
	}
	run(".", "go", "build", "-modfile=../../.ci/tools.mod", "-o", programs, "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen")
	if warned := run(project, "go", "generate", "./kontor"); warned != "" {
		t.Errorf("oapi-codegen warns:\n%s", warned)
	}
	run(project, "go", "vet", "-mod=readonly", "./...")
	run(project, "go", "run", "-mod=readonly", ".")
}
