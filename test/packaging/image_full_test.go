//go:build full

package packaging

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// restricted are the options for running the image without privileges.
var restricted = []string{"--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--pids-limit=64", "--memory=128m"}

func docker(t *testing.T, arguments ...string) string {
	t.Helper()
	return strings.TrimSpace(command(t, nil, "docker", arguments...))
}

// removeAtEnd has docker remove something at the end if it exists.
func removeAtEnd(t *testing.T, arguments ...string) {
	t.Helper()
	t.Cleanup(func() { _ = exec.Command("docker", arguments...).Run() })
}

// contract 1.17, 1.18, 1.35, 1.40
func TestImageServesWithoutPrivilegesAndStops(t *testing.T) {
	name := fmt.Sprintf("kontor-test-%d", os.Getpid())
	image := name + ":latest"
	removeAtEnd(t, "image", "rm", "--force", image, name+":v9.8.7")
	command(t, []string{"VERSION=v9.8.7"}, ".ci/image", name)
	assertMinimal(t, image)

	removeAtEnd(t, "network", "rm", name)
	docker(t, "network", "create", name)
	removeAtEnd(t, "rm", "--force", "--volumes", name, name+"-postgres")
	docker(t, "run", "--detach", "--name="+name+"-postgres", "--network="+name, "--tmpfs=/var/lib/postgresql/data",
		"--env=POSTGRES_USER=kontor", "--env=POSTGRES_PASSWORD=secret", "postgres:15-bookworm")
	waitFor(t, "PostgreSQL", func() bool {
		ready := `docker exec "$0" pg_isready --host=127.0.0.1 --username=kontor >/dev/null 2>&1 && echo yes || true`
		return strings.Contains(command(t, nil, "sh", "-c", ready, name+"-postgres"), "yes")
	})
	docker(t, append(append([]string{
		"run", "--detach", "--name=" + name, "--network=" + name, "--publish=127.0.0.1::8080",
		"--env=KONTOR_DATABASE_URL=postgres://kontor:secret@" + name + "-postgres:5432/kontor", "--env=KONTOR_TIMEZONE=Europe/Berlin",
	}, restricted...), image)...)
	address := "http://" + docker(t, "port", name, "8080/tcp")
	waitFor(t, "the service", func() bool { status, _ := get(address + "/readyz"); return status == http.StatusOK })

	docker(t, "exec", name, "/kontor", "user", "add", "--username", "ann", "--role", "admin")
	var issued struct{ Token string }
	if err := json.Unmarshal([]byte(docker(t, "exec", name, "/kontor", "token", "issue", "--user", "ann", "--output", "json")), &issued); err != nil {
		t.Fatal(err)
	}
	if status, body := get(address + "/rest/user?_format=json&auth_key=" + issued.Token); status != http.StatusOK || !strings.Contains(body, `"ann"`) {
		t.Errorf("the service returns %d %s", status, body)
	}

	started := time.Now()
	docker(t, "stop", "--time=30", name)
	took := time.Since(started)
	t.Logf("stopped in %s", took)
	if code := docker(t, "inspect", "--format={{.State.ExitCode}}", name); code != "0" || took > 10*time.Second {
		t.Errorf("after the stop signal, the service exits after %s with the code %s:\n%s", took, code, docker(t, "logs", name))
	}
}

// assertMinimal checks that the image contains nothing but the program and its
// certificates, and runs as an unprivileged user.
func assertMinimal(t *testing.T, image string) {
	t.Helper()
	inspect := func(format string) string { return docker(t, "image", "inspect", "--format="+format, image) }
	if user := inspect("{{.Config.User}}"); user != "65532:65532" {
		t.Errorf("the image runs as %q", user)
	}
	if version := inspect(`{{index .Config.Labels "org.opencontainers.image.version"}}`); version != "v9.8.7" {
		t.Errorf("the image has the version %q", version)
	}
	container := docker(t, "create", image)
	removeAtEnd(t, "rm", container)
	files := command(t, nil, "sh", "-c", `docker export "$0" | tar --list`, container)
	for _, wanted := range []string{"kontor\n", "etc/ssl/certs/ca-certificates.crt\n"} {
		if !strings.Contains(files, wanted) {
			t.Errorf("the image does not contain %s", wanted)
		}
	}
	for file := range strings.Lines(files) {
		file = strings.TrimSpace(file)
		known := file == "kontor" || strings.HasPrefix(file, "etc/ssl/")
		// Docker creates these in every container.
		for _, made := range []string{".dockerenv", "dev/", "proc/", "sys/", "etc/hostname", "etc/hosts", "etc/mtab", "etc/resolv.conf"} {
			known = known || strings.HasPrefix(file, made) || file == "etc/"
		}
		if !known {
			t.Errorf("the image also contains %s", file)
		}
	}
}

func waitFor(t *testing.T, what string, there func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !there(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s timed out", what)
		}
	}
}

func get(address string) (status int, body string) {
	response, err := http.Get(address)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(content)
}
