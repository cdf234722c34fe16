//go:build full

package packaging

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/doctest"
)

// installation is a folder in which Docker Compose runs containers under names of their own.
type installation struct {
	folder      string
	environment []string
}

// newInstallation copies the compose files. Without a registry, it provides images of what is installed here.
func newInstallation(t *testing.T) installation {
	t.Helper()
	name := fmt.Sprintf("kontor-test-%d", os.Getpid())
	removeAtEnd(t, "image", "rm", "--force", name+":latest", name+":v9.8.7")
	command(t, []string{"VERSION=v9.8.7"}, ".ci/image", name)
	for image, script := range map[string]string{"haproxy:2.6": ".ci/haproxy-image", citusImage: ".ci/citus-image"} {
		if exec.Command("docker", "image", "inspect", image).Run() != nil && (image != citusImage || hasCitus()) {
			command(t, nil, script, image)
		}
	}
	i := installation{folder: t.TempDir()}
	for _, file := range []string{"compose.yaml", "deploy/haproxy.cfg", "deploy/instances.yaml", "deploy/citus.yaml"} {
		path := filepath.Join(i.folder, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(isolated(t, name, file)), 0o644); err != nil { // read by users of containers
			t.Fatal(err)
		}
	}
	i.environment = []string{
		"COMPOSE_PROJECT_NAME=" + name, "KONTOR_PORT=" + unused(t), "KONTOR_PROXY_PORT=" + unused(t), "PATH=" + withCompose(t),
	}
	return i
}

const citusImage = "citusdata/citus:13.2.0-pg15"

func hasCitus() bool {
	_, err := os.Stat("/usr/lib/postgresql/15/lib/citus.so")
	return err == nil
}

// withCompose is a PATH in which docker has the command compose, also where Docker Compose is the older program.
func withCompose(t *testing.T) string {
	t.Helper()
	path := os.Getenv("PATH")
	if composer(t) == "docker compose" {
		return path
	}
	docker, err := exec.LookPath("docker")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	script := "#!/bin/sh\nif [ \"$1\" = compose ]; then shift; exec docker-compose \"$@\"; fi\nexec " + docker + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(folder, "docker"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return folder + string(os.PathListSeparator) + path
}

// value is that of an environment variable of the installation.
func (i installation) value(name string) string {
	for _, variable := range i.environment {
		if value, found := strings.CutPrefix(variable, name+"="); found {
			return value
		}
	}
	return ""
}

// down removes the containers and volumes of a compose file.
func (i installation) down(t *testing.T, files string) {
	t.Helper()
	down := exec.Command("sh", "-c", "exec docker compose down --volumes --remove-orphans 2>&1")
	down.Dir, down.Env = i.folder, append(append(os.Environ(), i.environment...), "COMPOSE_FILE="+files)
	if out, err := down.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

const (
	withInstances = "compose.yaml:deploy/instances.yaml"
	withCitus     = "compose.yaml:deploy/citus.yaml"
)

// contract 1.38
func TestContainersOfScalingPageServe(t *testing.T) {
	i := newInstallation(t)
	shell := doctest.Start(t, i.folder, i.environment...)
	t.Cleanup(func() { i.down(t, withCitus) })
	t.Cleanup(func() { i.down(t, withInstances) })
	address := "127.0.0.1:" + i.value("KONTOR_PROXY_PORT")
	stop := func() {}
	for _, block := range doctest.Blocks(t, filepath.Join(root, "docs", "performance.md")) {
		if !strings.Contains(block.Script, "docker compose") {
			continue
		}
		if block.Section == "Citus" {
			if !hasCitus() {
				t.Log("without Citus on this machine, the commands for its containers are not run")
				continue
			}
			i.down(t, withInstances)
		}
		block.Script = strings.ReplaceAll(block.Script, "127.0.0.1:8000", address)
		if strings.Contains(block.Script, "restart") {
			stop = keepRequesting(t, "http://"+address+"/version")
		}
		shell.Run(block)
		stop()
		stop = func() {}
	}
}

// keepRequesting requests the address until the function is called. No request may fail.
func keepRequesting(t *testing.T, address string) (stop func()) {
	t.Helper()
	ending, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ending:
				return
			default:
			}
			if status, body := get(address); status != http.StatusOK {
				t.Errorf("during a restart, haproxy returns %d %s", status, body)
				return
			}
		}
	}()
	return func() {
		close(ending)
		<-ended
	}
}
