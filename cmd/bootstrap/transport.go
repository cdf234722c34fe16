package bootstrap

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/adapters/doctor"
)

// InClear is what an operator is told whose callers' tokens travel in clear text.
const InClear = "tokens travel in clear text"

// Encrypt is what to do about InClear.
const Encrypt = "set KONTOR_TLS_CERT and KONTOR_TLS_KEY; or let a proxy speak TLS, and set KONTOR_BASE_URL to its https address"

// SpeaksInClear tells whether others on the network may read the tokens of
// requests: the service speaks no TLS, can be reached from other machines, and no
// public address says that TLS ends in front of it.
func (c Config) SpeaksInClear() bool {
	endsInFront := c.BaseURL != nil && c.BaseURL.Scheme == "https"
	return c.TLSCert == "" && !endsInFront && !isLoopback(c.Listen)
}

// isLoopback tells whether only this machine reaches the address. Of names only
// localhost is known to be one of those; no host stands for all addresses.
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

// Scheme is how the service speaks.
func (c Config) Scheme() string {
	if c.TLSCert == "" {
		return "http"
	}
	return "https"
}

func (c Config) pair() pair { return pair{c.TLSCert, c.TLSKey} }

// validateCertificate refuses half of a pair, and files that make none.
func (c Config) validateCertificate() error {
	switch {
	case c.TLSCert == "" && c.TLSKey == "":
		return nil
	case c.TLSKey == "":
		return errors.New("--tls-key: is missing, as there is --tls-cert")
	case c.TLSCert == "":
		return errors.New("--tls-cert: is missing, as there is --tls-key")
	}
	_, err := c.pair().read()
	return err
}

// expiring is how long before its end a certificate is worth a warning.
const expiring = 14 * 24 * time.Hour

// CheckTransport has a finding about how the service speaks, unless it speaks to its
// own machine only, or the settings are refused anyway.
func CheckTransport(c Config, now time.Time) []doctor.Finding {
	if c.SpeaksInClear() {
		return []doctor.Finding{{Name: "tls", State: doctor.Warn, Found: InClear + ", at " + c.Listen, Mend: Encrypt}}
	}
	if c.TLSCert == "" {
		return nil
	}
	read, err := c.pair().read()
	if err != nil {
		return nil
	}
	const renew = "put a new one into the files of --tls-cert and --tls-key; a service that runs takes it over by itself"
	from, until := read.Leaf.NotBefore, read.Leaf.NotAfter
	f := doctor.Finding{Name: "tls", State: doctor.OK, Found: "the certificate is good until " + until.UTC().Format(time.DateTime)}
	switch {
	case now.Before(from):
		f.State, f.Found, f.Mend = doctor.Fail, "the certificate is good only from "+from.UTC().Format(time.DateTime), "set the clock, or "+renew
	case now.After(until):
		f.State, f.Found, f.Mend = doctor.Fail, "the certificate has expired at "+until.UTC().Format(time.DateTime), renew
	case until.Sub(now) < expiring:
		f.State, f.Mend = doctor.Warn, renew
	}
	return []doctor.Finding{f}
}
