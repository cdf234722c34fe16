//go:build full

package packaging

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/rest"
)

// contract 1.18, 1.38
func TestComposeStartsServiceAndDatabase(t *testing.T) {
	name := fmt.Sprintf("kontor-test-%d", os.Getpid())
	removeAtEnd(t, "image", "rm", "--force", name+":latest", name+":v9.8.7")
	command(t, []string{"VERSION=v9.8.7"}, ".ci/image", name)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "compose.yaml"), []byte(isolated(t, name, "compose.yaml")), 0o600); err != nil {
		t.Fatal(err)
	}
	port := unused(t)
	password := []string{"KONTOR_DATABASE_PASSWORD=0123456789abcdef", "KONTOR_VERSION=v9.8.7", "KONTOR_PORT=" + port}
	compose := func(environment []string, arguments string) string {
		t.Helper()
		return command(t, environment, "sh", "-c", `cd "$0" && exec $1 2>&1`, folder, composer(t)+" --project-name "+name+" "+arguments)
	}

	rejected := command(t, nil, "sh", "-c", `cd "$0" && unset KONTOR_DATABASE_PASSWORD && $1 config 2>&1 && echo taken || true`, folder, composer(t))
	if strings.HasSuffix(rejected, "taken\n") || !strings.Contains(rejected, "is not set") {
		t.Errorf("without a password compose prints %s", rejected)
	}
	t.Cleanup(func() {
		down := exec.Command("sh", "-c", `cd "$0" && $1 --project-name "$2" down --volumes`, folder, composer(t), name)
		down.Env = append(os.Environ(), password...)
		if out, err := down.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	compose(password, "up --detach --no-build")
	ready := func() bool { status, _ := get("http://127.0.0.1:" + port + "/readyz"); return status == http.StatusOK }
	waitFor(t, "the service", ready)
	compose(password, "exec -T kontor /kontor user add --username ann --role admin")
	compose(password, "down")
	compose(password, "up --detach --no-build")
	waitFor(t, "the service", ready)
	waitFor(t, "the health checks", func() bool { return strings.Count(compose(password, "ps"), "(healthy)") == 2 })
	if listed := compose(password, "exec -T kontor /kontor user list"); !strings.Contains(listed, "ann") {
		t.Errorf("when everything but the volume is re-created, the users are\n%s", listed)
	}
	dump := filepath.Join(folder, "kontor.dump")
	command(t, password, "sh", "-c", `cd "$0" && $1 --project-name "$2" exec -T postgres pg_dump --username=kontor --format=custom kontor >"$3"`,
		folder, composer(t), name, dump)
	if begins := read(t, folder, "kontor.dump"); !strings.HasPrefix(begins, "PGDMP") {
		t.Errorf("the dump begins with %.20q", begins)
	}
}

// isolated is a file for Docker Compose under names of its own, as the service may run on this machine, with the PostgreSQL
// that other tests use.
func isolated(t *testing.T, name, file string) string {
	t.Helper()
	named := strings.NewReplacer("name: kontor-", "name: "+name+"-", "image: kontor:", "image: "+name+":").Replace(text(t, file))
	return regexp.MustCompile(`postgres:15\S*@sha256:\w+`).ReplaceAllString(named, "postgres:15-bookworm")
}

// composer is the command of Docker Compose: the plugin or the older program.
func composer(t *testing.T) string {
	t.Helper()
	if exec.Command("docker", "compose", "version").Run() == nil {
		return "docker compose"
	}
	if _, err := exec.LookPath("docker-compose"); err != nil {
		t.Fatal("Docker Compose is missing: install the package docker-compose")
	}
	return "docker-compose"
}

// unused is an unused port.
func unused(t *testing.T) string {
	t.Helper()
	_, port, _ := strings.Cut(rest.Free(t), ":")
	return port
}
