package bootstrap

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/testcert"
)

// shown is a certificate whose clock and log are the test's.
type shown struct {
	*Certificate

	at  time.Time
	log bytes.Buffer
}

func show(t *testing.T, files testcert.Files) *shown {
	t.Helper()
	s := &shown{at: time.Now()}
	opened, err := OpenCertificate(Config{TLSCert: files.Certificate, TLSKey: files.Key}, slog.New(slog.NewTextHandler(&s.log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	s.Certificate, opened.now, opened.checked = opened, func() time.Time { return s.at }, s.at
	return s
}

// name is the name in the certificate that a connection after a while is shown.
func (s *shown) name(t *testing.T, later time.Duration) string {
	t.Helper()
	s.at = s.at.Add(later)
	return s.forHandshake(context.Background()).Leaf.Subject.CommonName
}

func inAYear() time.Time { return time.Now().AddDate(1, 0, 0) }

// contract 1.73
func TestCertificateIsReloadedWithinASecondOfItsFiles(t *testing.T) {
	files := testcert.New(t, "first", inAYear()).Place(t)
	s := show(t, files)
	second := testcert.New(t, "second", inAYear())
	testcert.Write(t, files.Certificate, second.Certificate)
	testcert.Write(t, files.Key, second.Key)
	if got := s.name(t, checkInterval-time.Millisecond); got != "first" {
		t.Errorf("before it is time to look again %s is shown", got)
	}
	if got := s.name(t, time.Millisecond); got != "second" {
		t.Errorf("when it is time %s is shown", got)
	}
	third := testcert.New(t, "third", inAYear())
	testcert.Write(t, files.Certificate, third.Certificate)
	testcert.Write(t, files.Key, third.Key)
	if got := s.name(t, -time.Hour); got != "third" {
		t.Errorf("after the clock was put back %s is shown", got)
	}
	if got := strings.Count(s.log.String(), "is in use"); got != 2 {
		t.Errorf("the log says %d times that the certificate has changed:\n%s", got, &s.log)
	}
}

// contract 1.73
func TestCertificateStaysInUseWhileTheFilesDoNotMatch(t *testing.T) {
	files := testcert.New(t, "first", inAYear()).Place(t)
	s := show(t, files)
	second := testcert.New(t, "second", inAYear())
	warnings := 0
	for name, spoil := range map[string]func(){
		"another key":          func() { testcert.Write(t, files.Key, second.Key) },
		"half a certificate":   func() { testcert.Write(t, files.Certificate, second.Certificate[:100]) },
		"nothing":              func() { testcert.Write(t, files.Certificate, nil) },
		"no file":              func() { _ = os.Remove(files.Key) },
		"one within the other": func() { testcert.Write(t, files.Certificate, second.Key) },
		"a key that is garbage": func() {
			testcert.Write(t, files.Key, []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"))
		},
	} {
		spoil()
		warnings++
		for range 5 {
			if got := s.name(t, checkInterval); got != "first" {
				t.Errorf("%s: %s is shown", name, got)
			}
		}
		if got := strings.Count(s.log.String(), "is invalid, the old one stays"); got != warnings {
			t.Errorf("%s: after %d changes the log has %d warnings:\n%s", name, warnings, got, &s.log)
		}
	}
	testcert.Write(t, files.Certificate, second.Certificate)
	testcert.Write(t, files.Key, second.Key)
	if got := s.name(t, checkInterval); got != "second" {
		t.Errorf("when the pair fits again %s is shown", got)
	}
	for _, secret := range [][]byte{second.Key, second.Key[40:80]} {
		if strings.Contains(s.log.String(), string(secret)) {
			t.Error("the key is in the log")
		}
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
