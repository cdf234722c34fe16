//go:build full

package clients

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testserver"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// project is a copy of a client project, with the environment of its commands.
type project struct {
	t           *testing.T
	folder      string
	environment []string
}

// copyProject copies the files of the folder that are not generated.
func copyProject(t *testing.T, name string, environment ...string) project {
	t.Helper()
	folder := filepath.Join(t.TempDir(), name)
	generated := []string{"kontor.gen.go", "kontor.d.ts", "built", "node_modules"}
	err := filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		for _, g := range generated {
			if entry.Name() == g && entry.IsDir() {
				return fs.SkipDir
			}
			if entry.Name() == g {
				return nil
			}
		}
		to := filepath.Join(folder, strings.TrimPrefix(path, name))
		if entry.IsDir() {
			return os.MkdirAll(to, 0o700)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return project{t, folder, environment}
}

// with is the project with more environment variables.
func (p project) with(environment ...string) project {
	p.environment = append(slices.Clip(p.environment), environment...)
	return p
}

// run returns the output of a command, which must succeed.
func (p project) run(command string) string {
	p.t.Helper()
	began := time.Now()
	words := strings.Fields(command)
	cmd := exec.CommandContext(p.t.Context(), words[0], words[1:]...)
	cmd.Dir = p.folder
	cmd.Env = append(os.Environ(), p.environment...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", command, err, out)
	}
	p.t.Logf("%s: %.1f s", command, time.Since(began).Seconds())
	return string(out)
}

// checkScenario runs the scenario twice: as an administrator on an empty service, and as
// a manager once the reference lists have records.
func (p project) checkScenario(s testserver.Service, command string) {
	p.t.Helper()
	for _, role := range []user.Role{user.Admin, user.Manager} {
		output := p.with("KONTOR_TOKEN=" + testserver.Token(p.t, s.Service, role.String(), role)).run(command)
		for _, part := range []string{"over 259.7000, with VAT 309.0430", "rejected:", "5 invoices\n"} {
			if !strings.Contains(output, part) {
				p.t.Errorf("%s as %s does not print %q but\n%s", command, role, part, output)
			}
		}
	}
}

// contract 1.53, 3.3, 4.33, 4.34, 4.37, 4.39, 4.51, 4.53, 4.61
func TestGoClientCreatesAnInvoice(t *testing.T) {
	t.Parallel()
	s := testserver.On(t, pgtest.URL(t))
	programs := t.TempDir()
	here := project{t, ".", nil}
	here.run("go build -modfile=../../.ci/tools.mod -o " + programs + " github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen")

	p := copyProject(t, "golang", "KONTOR_URL="+s.URL, "GOFLAGS=-mod=readonly", "GOWORK=off", "PATH="+programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if warned := p.run("go generate ./kontor"); warned != "" {
		t.Errorf("oapi-codegen warns:\n%s", warned)
	}
	p.run("go vet ./...")
	p.run("go build -buildvcs=false -o built .")
	p.checkScenario(s, filepath.Join(p.folder, "built"))
}

// contract 1.53, 3.3, 4.33, 4.34, 4.37, 4.39, 4.51, 4.53, 4.61
func TestTypeScriptClientCreatesAnInvoice(t *testing.T) {
	t.Parallel()
	s := testserver.On(t, pgtest.URL(t))
	p := copyProject(t, "typescript", "KONTOR_URL="+s.URL, "NPM_CONFIG_UPDATE_NOTIFIER=false")
	p.run("npm ci --no-audit --no-fund --ignore-scripts")
	p.run("npm run generate")
	p.run("npm run build")
	p.checkScenario(s, "npm start")
}
