package program

import (
	"net/url"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

func TestPublicAddressCanBeRequested(t *testing.T) { // contract 1.19, 1.22, 1.44
	public := bootstrap.Config{BaseURL: &url.URL{Scheme: "https", Host: "crm.example.org", Path: "/kontor/"}}
	for _, c := range []struct {
		config         bootstrap.Config
		listener, want string
	}{
		{bootstrap.Config{}, "127.0.0.1:8080", "http://127.0.0.1:8080"},
		{bootstrap.Config{}, "crm:80", "http://crm:80"},
		{bootstrap.Config{}, ":8080", "http://localhost:8080"},
		{bootstrap.Config{}, "0.0.0.0:8080", "http://localhost:8080"},
		{bootstrap.Config{}, "[::]:8080", "http://localhost:8080"},
		{bootstrap.Config{}, "[::1]:8080", "http://[::1]:8080"},
		{bootstrap.Config{TLSCert: "cert.pem"}, ":443", "https://localhost:443"},
		{public, "127.0.0.1:8080", "https://crm.example.org/kontor"},
	} {
		if got := publicAddress(c.config, c.listener); got != c.want {
			t.Errorf("%s is reached at %s, want %s", c.listener, got, c.want)
		}
	}
}
