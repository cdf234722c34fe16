package program

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/kontor-crm/kontor/test/rest"
)

func TestServeHasAnOperatorsListener(t *testing.T) {
	operators := rest.Free(t)
	_, address := startKontor(t, "serve", "--migrate=false", "--listen=127.0.0.1:0", "--log-format=json",
		"--database-url="+nowhere, "--admin-listen="+operators)
	if status, _ := fetch(t, address+"/version"); status != http.StatusOK {
		t.Errorf("/version answers %d", status)
	}
	status, metrics := fetch(t, "http://"+operators+"/metrics")
	for _, line := range []string{
		`kontor_http_requests_total{method="GET",route="/version",status="200"} 1`, "kontor_database_up 0", "go_goroutines ", "process_resident_memory_bytes ",
	} {
		if status != http.StatusOK || !strings.Contains(metrics, "\n"+line) {
			t.Errorf("/metrics answers %d without %s", status, line)
		}
	}
	if status, _ := fetch(t, address+"/metrics"); status != http.StatusNotFound {
		t.Errorf("for everybody /metrics answers %d", status)
	}
}

// Spans of the last requests are still pending when the service is stopped.
func TestServeSendsTheLastTracesWhenItStops(t *testing.T) {
	var mu sync.Mutex
	var received strings.Builder
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = io.Copy(&received, r.Body)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "3600000")
	program, address := startKontor(t, "serve", "--migrate=false", "--listen=127.0.0.1:0", "--log-format=json", "--database-url="+nowhere)
	if status, _ := fetch(t, address+"/version"); status != http.StatusOK {
		t.Fatalf("/version answers %d", status)
	}
	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := program.Wait(); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if !strings.Contains(received.String(), "GET /version") || !strings.Contains(received.String(), "kontor") {
		t.Errorf("received is %q", received.String())
	}
}
