//go:build full

package api_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/rest"
)

// startNginx starts nginx with the location that a page of documentation shows, except for
// the lines with the omitted directive, and is its address.
func startNginx(t *testing.T, page, upstream, omitted string) string {
	t.Helper()
	program, err := exec.LookPath("/usr/sbin/nginx")
	if err != nil {
		t.Fatal("nginx is missing: install the package nginx")
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, location, _ := strings.Cut(string(text), "\n```nginx\n")
	location, _, _ = strings.Cut(location, "```\n")
	const documented = "proxy_pass http://127.0.0.1:8080;"
	if strings.Count(location, documented) != 1 {
		t.Fatalf("the configuration in %s does not contain %q", page, documented)
	}
	location = strings.Replace(location, documented, "proxy_pass "+upstream+";", 1)
	var kept []string
	for line := range strings.Lines(location) {
		if !strings.Contains(line, omitted) {
			kept = append(kept, line)
		}
	}

	address := rest.Free(t)
	folder := t.TempDir()
	config := fmt.Sprintf(`
daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/error.log;
events {}
http {
    access_log off;
    client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy;
    fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
    server {
        listen %[2]s;
%[3]s
    }
}
`, folder, address, strings.Join(kept, ""))
	file := filepath.Join(folder, "nginx.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	nginx := exec.Command(program, "-p", folder, "-c", file)
	nginx.Stderr = os.Stderr
	if err := nginx.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = nginx.Process.Kill()
		_ = nginx.Wait() // it was killed
	})
	for range 1000 {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			return "http://" + address
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("nginx does not start")
	return ""
}

// contract 4.95
func TestLongQueriesPassNginx(t *testing.T) {
	s := start(t, func(c *bootstrap.Config) { c.RateLimit, c.Lenient = 1000, true })
	s.as("manager").post("/rest/client", fields{"name": "A", "type": 1}).wants(http.StatusOK)
	s.as("manager").post("/rest/client", fields{"name": "A", "type": 1}).wants(http.StatusOK)
	s.as("manager").post("/rest/client", fields{"name": "A", "type": 1}).wants(http.StatusOK)
	for name, c := range map[string]struct {
		omitted string
		longest int
	}{
		"with its own defaults": {"proxy_buffer", 2800},
		"as documented":         {"no such directive", 7900}, // nginx itself limits a URL to 8 KiB
	} {
		t.Run(name, func(t *testing.T) {
			proxy := *s
			proxy.t, proxy.url = t, startNginx(t, "../../docs/operations.md", s.url, c.omitted)
			for size := 100; size <= c.longest; size += 100 {
				query := "?per_page=1&page=2&unknown=" + strings.Repeat("x", size)
				proxy.as("manager").get("/rest/client" + query).wants(http.StatusOK)
			}
		})
	}
}
