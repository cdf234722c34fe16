package program

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/testcert"
)

func TestHealthAsksTheServiceOnThisMachine(t *testing.T) {
	alive := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, "the database cannot be reached")
		}
	})
	plain, secure := httptest.NewServer(alive), httptest.NewTLSServer(alive)
	defer plain.Close()
	defer secure.Close()
	files := testcert.New(t, "crm.example.org", time.Now().Add(time.Hour)).Place(t)
	address, encrypted := plain.Listener.Addr().String(), secure.Listener.Addr().String()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]struct {
		code int
		said string
	}{
		"health --listen=" + address: {codeDone, "ok\n"},
		"health --listen=:" + port:   {codeDone, "ok\n"},
		"health --listen=0.0.0.0:" + port + " --base-url=http://crm.example.org":                        {codeDone, "ok\n"},
		"health --listen=" + encrypted + " --tls-cert=" + files.Certificate + " --tls-key=" + files.Key: {codeDone, "ok\n"},
		"health --ready --listen=" + address:                                                            {codeFailed, "503 Service Unavailable: the database cannot be reached"},
		"health --listen=" + encrypted:                                                                  {codeFailed, "400 Bad Request"},
		"health --listen=127.0.0.1:1":                                                                   {codeFailed, "does not run at http://127.0.0.1:1/healthz"},
		"health --listen=nowhere":                                                                       {codeMisuse, "--listen (KONTOR_LISTEN): must be"},
	} {
		code, printed, reported := called(t, strings.Fields(line)...)
		if code != want.code || !strings.Contains(printed+reported, want.said) {
			t.Errorf("kontor %s ends with %d and prints %s%s", line, code, printed, reported)
		}
	}
}
