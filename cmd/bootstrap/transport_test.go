package bootstrap

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/doctor"
	"github.com/kontor-crm/kontor/test/testcert"
)

func TestSpeaksInClearWithoutTLSOnAPublicAddress(t *testing.T) {
	public := func(address string) *url.URL {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for listen, reachable := range map[string]bool{
		"0.0.0.0:8080": true, "[::]:8080": true, ":8080": true, "192.0.2.1:80": true, "[2001:db8::1]:80": true, "[fe80::1%eth0]:80": true,
		"crm.example.org:80": true, "localhost.example.org:80": true, "127.example.org:80": true, "[::ffff:0.0.0.0]:80": true,
		"127.0.0.1:8080": false, "127.1.2.3:80": false, "[::1]:8080": false, "[::ffff:127.0.0.1]:80": false,
		"localhost:8080": false, "LocalHost.:80": false, "crm.localhost:80": false,
	} {
		for name, c := range map[string]struct {
			config Config
			want   bool
		}{
			"alone":                  {Config{}, reachable},
			"with a certificate":     {Config{TLSCert: "cert.pem", TLSKey: "key.pem"}, false},
			"behind TLS":             {Config{BaseURL: public("https://crm.example.org/in")}, false},
			"behind a proxy without": {Config{BaseURL: public("http://crm.example.org")}, reachable},
		} {
			c.config.Listen = listen
			if got := c.config.SpeaksInClear(); got != c.want {
				t.Errorf("at %s, %s: %v", listen, name, got)
			}
		}
	}
}

// contract 1.68, 1.72
func TestCheckTransportReportsAnInvalidCertificate(t *testing.T) {
	t.Parallel()
	now := time.Now()
	until := now.Add(30 * 24 * time.Hour)
	files := testcert.New(t, "crm.example.org", until).Place(t)
	secured := Config{Listen: "0.0.0.0:443", TLSCert: files.Certificate, TLSKey: files.Key}
	for name, c := range map[string]struct {
		config Config
		at     time.Time
		state  doctor.State // "": there is nothing to say
		found  string
	}{
		"a good one":               {secured, now, doctor.OK, "valid until " + until.UTC().Format(time.DateOnly)},
		"a fortnight and an hour":  {secured, until.Add(-expiryWarning - time.Hour), doctor.OK, "valid until"},
		"nearly a fortnight":       {secured, until.Add(-expiryWarning + time.Hour), doctor.Warn, "valid until"},
		"one that has expired":     {secured, until.Add(time.Hour), doctor.Fail, "expired"},
		"one that is not yet good": {secured, now.Add(-48 * time.Hour), doctor.Fail, "only from"},
		"none, for this machine":   {Config{Listen: "127.0.0.1:8080"}, now, "", ""},
		"none, for all":            {Config{Listen: ":8080"}, now, doctor.Warn, InClear},
	} {
		findings := CheckTransport(c.config, c.at)
		if c.state == "" {
			if len(findings) != 0 {
				t.Errorf("%s: %v", name, findings)
			}
			continue
		}
		if len(findings) != 1 || findings[0].State != c.state || !strings.Contains(findings[0].Found, c.found) || (findings[0].Hint == "") != (c.state == doctor.OK) {
			t.Errorf("%s: %v, want %s with %q", name, findings, c.state, c.found)
		}
	}
}
