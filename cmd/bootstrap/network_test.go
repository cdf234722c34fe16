package bootstrap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 1.23
func TestTrustedProxiesAreAddressesAndNetworks(t *testing.T) {
	for raw, want := range map[string]string{
		"":                                   "[]",
		" ":                                  "[]",
		"10.0.0.7":                           "[10.0.0.7/32]",
		"10.1.2.3/8, 192.168.0.0/16":         "[10.0.0.0/8 192.168.0.0/16]",
		"::1,2001:db8::/32,::ffff:127.0.0.1": "[::1/128 2001:db8::/32 127.0.0.1/32]",
	} {
		c := Config{RawProxies: raw}
		if err := c.Validate(); err != nil {
			t.Errorf("%q: %v", raw, err)
		}
		if diff := cmp.Diff(want, fmt.Sprint(c.TrustedProxies)); diff != "" {
			t.Errorf("%q: -want +got\n%s", raw, diff)
		}
	}
	for _, raw := range []string{"proxy.example.org", "10.0.0.7,", "10.0.0.0/33", "10.0.0.7:80", "fe80::1%eth0", "::ffff:10.0.0.0/104", "*"} {
		c := Config{RawProxies: raw}
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "--trusted-proxies (KONTOR_TRUSTED_PROXIES): ") {
			t.Errorf("%q: %v, want an error that names the flag", raw, err)
		}
	}
}

// contract 1.19
func TestOriginsAreReadAsBrowsersWriteThem(t *testing.T) {
	for raw, want := range map[string]string{
		"":  "[]",
		"*": "[*]",
		"https://app.example.org, http://localhost:3000": "[https://app.example.org http://localhost:3000]",
		"HTTPS://App.Example.org:443,http://a:80":        "[https://app.example.org http://a]",
		"http://a:443,tauri://localhost,http://[::1]:80": "[http://a:443 tauri://localhost http://[::1]]",
	} {
		c := Config{RawOrigins: raw}
		if err := c.Validate(); err != nil {
			t.Errorf("%q: %v", raw, err)
		}
		if diff := cmp.Diff(want, fmt.Sprint(c.Origins)); diff != "" {
			t.Errorf("%q: -want +got\n%s", raw, diff)
		}
	}
	for _, raw := range []string{
		"app.example.org", "https://app.example.org/", "https://app.example.org/in", "https://a?b", "https://ann@a", "https://*.example.org",
		"https://a,*", "https://a,", "null", "https://", "https://büro.example.org", "https://a b", "//a",
	} {
		c := Config{RawOrigins: raw}
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "--cors-origins (KONTOR_CORS_ORIGINS): ") {
			t.Errorf("%q: %v, want an error that names the flag", raw, err)
		}
	}
}
