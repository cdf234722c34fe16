package bootstrap

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/testcert"
)

func inAYear() time.Time { return time.Now().AddDate(1, 0, 0) }

// contract 1.72
func TestCertificateIsReloadedUnlessTheFilesDoNotMatch(t *testing.T) {
	files := testcert.New(t, "first", inAYear()).Place(t)
	var log bytes.Buffer
	opened, err := OpenCertificate(Config{TLSCert: files.Certificate, TLSKey: files.Key}, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	name := func() string {
		shown, err := opened.TLS().GetCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}
		return shown.Leaf.Subject.CommonName
	}
	second := testcert.New(t, "second", inAYear())
	for title, spoil := range map[string]func(){
		"another key":          func() { testcert.Write(t, files.Key, second.Key) },
		"half a certificate":   func() { testcert.Write(t, files.Certificate, second.Certificate[:100]) },
		"nothing":              func() { testcert.Write(t, files.Certificate, nil) },
		"no file":              func() { _ = os.Remove(files.Key) },
		"one within the other": func() { testcert.Write(t, files.Certificate, second.Key) },
	} {
		spoil()
		log.Reset()
		opened.Reload()
		if got := name(); got != "first" || strings.Count(log.String(), "is invalid, the old one stays") != 1 {
			t.Errorf("%s: %s is shown, and the log says\n%s", title, got, &log)
		}
		if strings.Contains(log.String(), string(second.Key)) || strings.Contains(log.String(), string(second.Key[40:80])) {
			t.Error("the key is in the log")
		}
	}
	testcert.Write(t, files.Certificate, second.Certificate)
	testcert.Write(t, files.Key, second.Key)
	opened.Reload()
	if got := name(); got != "second" || !strings.Contains(log.String(), "is in use") {
		t.Errorf("when the pair fits again %s is shown, and the log says\n%s", got, &log)
	}
}

// contract 1.72
func TestCertificateAndKeyRequireEachOther(t *testing.T) {
	pair := testcert.New(t, "first", inAYear())
	files, other := pair.Place(t), testcert.New(t, "other", inAYear()).Place(t)
	for name, c := range map[string]struct {
		certificate, key string
		want             []string // none: it is taken
	}{
		"both":               {files.Certificate, files.Key, nil},
		"neither":            {"", "", nil},
		"no key":             {files.Certificate, "", []string{"--tls-key: is missing"}},
		"no certificate":     {"", files.Key, []string{"--tls-cert: is missing"}},
		"a key of another":   {files.Certificate, other.Key, []string{"--tls-cert: ", "--tls-key", files.Certificate, other.Key, "does not match"}},
		"the wrong way":      {files.Key, files.Certificate, []string{"--tls-cert: ", "switched"}},
		"a file that is not": {"/nowhere/cert.pem", files.Key, []string{"--tls-cert: open /nowhere/cert.pem: no such file"}},
		"a key that is not":  {files.Certificate, "/nowhere/key.pem", []string{"--tls-key: open /nowhere/key.pem: no such file"}},
	} {
		config := Config{TLSCert: c.certificate, TLSKey: c.key}
		err := config.Validate()
		if (err != nil) != (c.want != nil) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v, want one line with %s", name, err, part)
			}
		}
	}
}
