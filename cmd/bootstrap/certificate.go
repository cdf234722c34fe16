package bootstrap

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const checkInterval = time.Second

// Certificate is the TLS certificate of the service. It reloads its files: at a
// handshake, at most once a second, it checks whether they have changed. A pair that
// does not match, such as a half-written one, leaves the last valid one in use, and
// is logged once.
//
// Chose to compare times and sizes over notifications by the system, because that
// works on every file system and needs no library; costs two system calls a second
// while clients connect.
type Certificate struct {
	pair    pair
	log     *slog.Logger
	now     func() time.Time
	current atomic.Pointer[tls.Certificate]

	mu      sync.Mutex // of the fields below; a handshake that does not get it uses the current certificate
	checked time.Time
	seen    stamps
}

// pair names the files of a certificate and its key.
type pair struct{ certificate, key string }

// stamps identify a state of both files.
type stamps [2]struct {
	changed time.Time
	size    int64
}

// OpenCertificate loads the configured certificate; nil if there is none.
func OpenCertificate(c Config, log *slog.Logger) (*Certificate, error) {
	if c.TLSCert == "" {
		return nil, nil
	}
	o := &Certificate{pair: c.pair(), log: log, now: time.Now}
	// The state before reading: a change meanwhile is detected by the next check.
	o.seen, o.checked = o.pair.stamps(), o.now()
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
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			return o.forHandshake(hello.Context()), nil
		},
	}
}

func (o *Certificate) forHandshake(ctx context.Context) *tls.Certificate {
	if o.mu.TryLock() {
		defer o.mu.Unlock()
		if now := o.now(); now.Sub(o.checked) >= checkInterval || now.Before(o.checked) {
			o.checked = now
			o.reload(ctx)
		}
	}
	return o.current.Load()
}

func (o *Certificate) reload(ctx context.Context) {
	now := o.pair.stamps()
	if now == o.seen {
		return
	}
	o.seen = now
	read, err := o.pair.read()
	if err != nil {
		o.log.WarnContext(ctx, "the changed certificate is invalid, the old one stays in use", "error", err.Error())
		return
	}
	o.current.Store(read)
	o.log.InfoContext(ctx, "the changed certificate is in use", "names", read.Leaf.DNSNames, "until", read.Leaf.NotAfter)
}

func (p pair) stamps() (s stamps) {
	for i, name := range []string{p.certificate, p.key} {
		if about, err := os.Stat(name); err == nil {
			s[i].changed, s[i].size = about.ModTime(), about.Size()
		}
	}
	return s
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
