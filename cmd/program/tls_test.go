package program

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/rest"
	"github.com/kontor-crm/kontor/test/testcert"
	"github.com/kontor-crm/kontor/test/testprogram"
)

// speaking runs kontor serve without a database, and gives its address and its log.
func speaking(t *testing.T, arguments ...string) (program *exec.Cmd, address string, log *testprogram.Log) {
	t.Helper()
	program = process(t, append([]string{"serve", "--migrate=false", "--log-format=json", "--database-url=" + nowhere}, arguments...)...)
	address, log = testprogram.Serve(t, program)
	return program, address, log
}

// trusting is how a client speaks that trusts just these.
func trusting(t *testing.T, pairs ...testcert.Pair) *tls.Config {
	t.Helper()
	authorities := x509.NewCertPool()
	for _, pair := range pairs {
		if !authorities.AppendCertsFromPEM(pair.Certificate) {
			t.Fatal("the certificate cannot be read")
		}
	}
	return &tls.Config{RootCAs: authorities}
}

// caller makes a connection for each request.
func caller(config *tls.Config, isHTTP2 bool) *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: isHTTP2, DisableKeepAlives: true}}
}

// contract 1.72, 1.16
func TestTLSIsServedWithACertificate(t *testing.T) {
	pair := testcert.New(t, "crm.example.org", time.Now().Add(time.Hour))
	files := pair.Place(t)
	operators := rest.Free(t)
	_, address, log := speaking(t, "--listen=127.0.0.1:0", "--tls-cert="+files.Certificate, "--tls-key="+files.Key, "--admin-listen="+operators)
	host, isTLS := strings.CutPrefix(address, "https://")
	if !isTLS {
		t.Fatalf("the log says that it serves at %s", address)
	}
	for _, version := range []int{1, 2} {
		answer, err := caller(trusting(t, pair), version == 2).Get(address + "/")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.ProtoMajor != version || answer.TLS.Version != tls.VersionTLS13 {
			t.Errorf("asked in HTTP/%d: %s, TLS %s, %v", version, answer.Proto, tls.VersionName(answer.TLS.Version), err)
		}
		if want := `"openapi":"` + address + `/openapi.json"`; !strings.Contains(string(body), want) {
			t.Errorf("asked in HTTP/%d it leads to %s, want %s", version, body, want)
		}
	}
	for version, taken := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		config := trusting(t, pair)
		config.MinVersion, config.MaxVersion = version, version
		connection, err := tls.Dial("tcp", host, config)
		if err == nil {
			connection.Close()
		}
		if (err == nil) != taken {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
	}
	if status, _ := fetch(t, "http://"+host+"/healthz"); status != http.StatusBadRequest {
		t.Errorf("without TLS /healthz answers %d", status)
	}
	if status, _ := fetch(t, "http://"+operators+"/healthz"); status != http.StatusOK {
		t.Errorf("for operators, without TLS, /healthz answers %d", status)
	}
	if log.Count("clear text") != 0 {
		t.Error("the log warns of clear text")
	}
}

// contract 1.72
func TestTLSCertificateIsReloadedBySIGHUP(t *testing.T) {
	first, second := testcert.New(t, "first", time.Now().Add(time.Hour)), testcert.New(t, "second", time.Now().Add(time.Hour))
	files := first.Place(t)
	program, address, log := speaking(t, "--listen=127.0.0.1:0", "--tls-cert="+files.Certificate, "--tls-key="+files.Key)
	shown := func() string {
		connection, err := tls.Dial("tcp", strings.TrimPrefix(address, "https://"), trusting(t, first, second))
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		return connection.ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	if got := shown(); got != "first" {
		t.Fatalf("at first %s is shown", got)
	}
	keeping := &http.Client{Transport: &http.Transport{TLSClientConfig: trusting(t, first)}}
	fetched := func() error {
		answer, err := keeping.Get(address + "/version")
		if err == nil {
			_, err = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
		return err
	}
	if err := fetched(); err != nil {
		t.Fatal(err)
	}

	reload := func(says string) {
		if err := program.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		log.Await(t, says)
	}
	testcert.Write(t, files.Certificate, second.Certificate) // and not yet its key
	reload("the old one stays in use")
	if got := shown(); got != "first" {
		t.Errorf("while the pair does not fit %s is shown", got)
	}
	testcert.Write(t, files.Key, second.Key)
	reload("the changed certificate is in use")
	if got := shown(); got != "second" {
		t.Errorf("after the signal %s is shown", got)
	}
	if err := fetched(); err != nil { // by the connection that is there
		t.Errorf("an open connection broke: %v", err)
	}
}

func TestServeWarnsOnceOfTokensInClearText(t *testing.T) {
	for name, c := range map[string]struct {
		arguments []string
		want      int
	}{
		"for all":             {[]string{"--listen=0.0.0.0:0"}, 1},
		"for this machine":    {[]string{"--listen=127.0.0.1:0"}, 0},
		"for all, behind TLS": {[]string{"--listen=0.0.0.0:0", "--base-url=https://crm.example.org"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, log := speaking(t, c.arguments...)
			if got := log.Count(`"level":"WARN","msg":"tokens travel in clear text: set KONTOR_TLS_CERT`); got != c.want {
				t.Errorf("the log warns %d times, want %d: %q", got, c.want, log.Lines())
			}
		})
	}
}

// contract 1.72
func TestTLSCertificateThatIsInvalidPreventsTheStart(t *testing.T) {
	files, other := testcert.New(t, "a", time.Now()).Place(t), testcert.New(t, "b", time.Now()).Place(t)
	t.Setenv("KONTOR_TLS_CERT", files.Certificate)
	for key, want := range map[string]string{
		"":                "kontor: --tls-key: is missing",
		"/nowhere":        "kontor: --tls-key: open /nowhere: no such file or directory\n",
		other.Key:         "kontor: --tls-cert: " + files.Certificate,
		files.Certificate: "kontor: --tls-cert: " + files.Certificate,
	} {
		t.Setenv("KONTOR_TLS_KEY", key)
		listen := rest.Free(t)
		code, _, reported := called(t, "serve", "--migrate=false", "--database-url="+nowhere, "--listen="+listen)
		if code != codeMisuse || !strings.HasPrefix(reported, want) || strings.Count(reported, "\n") != 1 {
			t.Errorf("with the key %q it ends with %d and %q", key, code, reported)
		}
		if connection, err := net.Dial("tcp", listen); err == nil {
			connection.Close()
			t.Error("somebody listens")
		}
	}
	code, printed, _ := called(t, "doctor", "--database-url="+nowhere, "--tls-key="+other.Key)
	if want := "fail  settings  --tls-cert: "; code != codeFound || !strings.Contains(printed, want) {
		t.Errorf("doctor ends with %d and prints\n%s", code, printed)
	}
	code, printed, _ = called(t, "doctor", "--database-url="+nowhere, "--tls-key="+files.Key)
	if want := fmt.Sprintf("fail  %-8s  the certificate expired at ", "tls"); code != codeFound || !strings.Contains(printed, want) {
		t.Errorf("doctor ends with %d and prints\n%s", code, printed)
	}
}
