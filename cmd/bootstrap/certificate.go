package bootstrap

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
)

// Certificate is the TLS certificate of the service, which Reload replaces.
type Certificate struct {
	pair    pair
	log     *slog.Logger
	current atomic.Pointer[tls.Certificate]
}

// pair names the files of a certificate and its key.
type pair struct{ certificate, key string }

// OpenCertificate loads the configured certificate; nil if there is none.
func OpenCertificate(c Config, log *slog.Logger) (*Certificate, error) {
	if c.TLSCert == "" {
		return nil, nil
	}
	o := &Certificate{pair: c.pair(), log: log}
	read, err := o.pair.read()
	if err != nil {
		return nil, err
	}
	o.current.Store(read)
	return o, nil
}

// TLS returns the TLS configuration; nil without a certificate.
func (o *Certificate) TLS() *tls.Config {
	if o == nil {
		return nil
	}
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return o.current.Load(), nil },
	}
}

// Reload reads the files again, for new connections. If they do not match, the certificate stays
// in use, and the log says so.
func (o *Certificate) Reload() {
	read, err := o.pair.read()
	if err != nil {
		o.log.Warn("the changed certificate is invalid, the old one stays in use", "error", err.Error())
		return
	}
	o.current.Store(read)
	o.log.Info("the changed certificate is in use", "names", read.Leaf.DNSNames, "until", read.Leaf.NotAfter)
}

// read reads both files. An error names the setting.
func (p pair) read() (*tls.Certificate, error) {
	certificate, err := os.ReadFile(p.certificate)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert: %w", err)
	}
	key, err := os.ReadFile(p.key)
	if err != nil {
		return nil, fmt.Errorf("--tls-key: %w", err)
	}
	read, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert: %s and the key %s (--tls-key) cannot be used together: %w", p.certificate, p.key, err)
	}
	return &read, nil
}
