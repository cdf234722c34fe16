package bootstrap

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/adapters/doctor"
)

// InClear is the warning that tokens are sent in clear text.
const InClear = "tokens travel in clear text"

// Encrypt is the hint for InClear.
const Encrypt = "set KONTOR_TLS_CERT and KONTOR_TLS_KEY; or terminate TLS in a proxy, and set KONTOR_BASE_URL to its https address"

// SpeaksInClear reports whether others on the network may read tokens: the service
// has no TLS, other machines can reach it, and its public address does not show
// that TLS is terminated in front of it.
func (c Config) SpeaksInClear() bool {
	terminatedInFront := c.BaseURL != nil && c.BaseURL.Scheme == "https"
	return c.TLSCert == "" && !terminatedInFront && !isLoopback(c.Listen)
}

// isLoopback reports whether only this machine can reach the address. The only such
// name is localhost; an empty host means all addresses.
func isLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	if address, err := netip.ParseAddr(host); err == nil {
		return address.Unmap().IsLoopback()
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// Scheme returns the URL scheme of the service.
func (c Config) Scheme() string {
	if c.TLSCert == "" {
		return "http"
	}
	return "https"
}

func (c Config) pair() pair { return pair{c.TLSCert, c.TLSKey} }

// validateCertificate rejects half of a pair, and files that do not match.
func (c Config) validateCertificate() error {
	switch {
	case c.TLSCert == "" && c.TLSKey == "":
		return nil
	case c.TLSKey == "":
		return errors.New("--tls-key: is missing, but --tls-cert is set")
	case c.TLSCert == "":
		return errors.New("--tls-cert: is missing, but --tls-key is set")
	}
	_, err := c.pair().read()
	return err
}

// expiryWarning is how long before its expiry a certificate causes a warning.
const expiryWarning = 14 * 24 * time.Hour

// CheckTransport returns a finding about TLS, unless only this machine can reach
// the service, or the settings are invalid.
func CheckTransport(c Config, now time.Time) []doctor.Finding {
	if c.SpeaksInClear() {
		return []doctor.Finding{{Name: "tls", State: doctor.Warn, Found: InClear + ", at " + c.Listen, Hint: Encrypt}}
	}
	if c.TLSCert == "" {
		return nil
	}
	read, err := c.pair().read()
	if err != nil {
		return nil
	}
	const renew = "replace the files of --tls-cert and --tls-key, and send SIGHUP to the service"
	from, until := read.Leaf.NotBefore, read.Leaf.NotAfter
	f := doctor.Finding{Name: "tls", State: doctor.OK, Found: "the certificate is valid until " + until.UTC().Format(time.DateTime)}
	switch {
	case now.Before(from):
		f.State, f.Found, f.Hint = doctor.Fail, "the certificate is valid only from "+from.UTC().Format(time.DateTime), "set the clock, or "+renew
	case now.After(until):
		f.State, f.Found, f.Hint = doctor.Fail, "the certificate expired at "+until.UTC().Format(time.DateTime), renew
	case until.Sub(now) < expiryWarning:
		f.State, f.Hint = doctor.Warn, renew
	}
	return []doctor.Finding{f}
}
