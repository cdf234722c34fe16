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

// project is a copy of one of the folders here, and what its commands are told.
type project struct {
	t           *testing.T
	folder      string
	environment []string
}

// copied copies what of the folder a repository has: nothing generated or built.
func copied(t *testing.T, name string, environment ...string) project {
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

// with is the same project with more settings.
func (p project) with(environment ...string) project {
	p.environment = append(slices.Clip(p.environment), environment...)
	return p
}

// types runs a command in the project, and returns what it prints; it has to succeed.
func (p project) types(command string) string {
	p.t.Helper()
	began := time.Now()
	words := strings.Fields(command)
	run := exec.CommandContext(p.t.Context(), words[0], words[1:]...)
	run.Dir = p.folder
	run.Env = append(os.Environ(), p.environment...)
	out, err := run.CombinedOutput()
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", command, err, out)
	}
	p.t.Logf("%s: %.1f s", command, time.Since(began).Seconds())
	return string(out)
}

// sells runs the scenario twice: on an empty service, where only an administrator
// can begin, and as a manager on one that has lists to choose from.
func (p project) sells(s testserver.Service, command string) {
	p.t.Helper()
	for _, role := range []user.Role{user.Admin, user.Manager} {
		said := p.with("KONTOR_TOKEN=" + testserver.Token(p.t, s.Service, role.String(), role)).types(command)
		for _, part := range []string{"over 259.7000, with VAT 309.0430", "refused:", "5 invoices\n"} {
			if !strings.Contains(said, part) {
				p.t.Errorf("%s as %s does not say %q but\n%s", command, role, part, said)
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
	here.types("go build -modfile=../../.ci/tools.mod -o " + programs + " github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen")

	p := copied(t, "golang", "KONTOR_URL="+s.URL, "GOFLAGS=-mod=readonly", "GOWORK=off", "PATH="+programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if warned := p.types("go generate ./kontor"); warned != "" {
		t.Errorf("oapi-codegen warns:\n%s", warned)
	}
	p.types("go vet ./...")
	p.types("go build -buildvcs=false -o built .")
	p.sells(s, filepath.Join(p.folder, "built"))
}

// contract 1.53, 3.3, 4.33, 4.34, 4.37, 4.39, 4.51, 4.53, 4.61
func TestTypeScriptClientCreatesAnInvoice(t *testing.T) {
	t.Parallel()
	s := testserver.On(t, pgtest.URL(t))
	p := copied(t, "typescript", "KONTOR_URL="+s.URL, "NPM_CONFIG_UPDATE_NOTIFIER=false")
	p.types("npm ci --no-audit --no-fund --ignore-scripts")
	p.types("npm run generate")
	p.types("npm run build")
	p.sells(s, "npm start")
}
