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

// lookEvery is how often the files of a certificate are looked at, at most.
const lookEvery = time.Second

// Certificate is what the service shows to callers who speak TLS. It follows its
// files: at a handshake, at most once a second, it looks whether they were changed.
// A pair that does not fit, such as one that is half written, leaves the last good
// one in use, and is told once.
//
// Chose to look at times and sizes over being told by the system, because that
// works on every file system and needs no library; costs two system calls a second
// while somebody connects.
type Certificate struct {
	pair    pair
	log     *slog.Logger
	now     func() time.Time
	current atomic.Pointer[tls.Certificate]

	mu     sync.Mutex // of what follows; who does not get it at once goes on with the current one
	looked time.Time
	seen   stamps
}

// pair names the files of a certificate and its key.
type pair struct{ certificate, key string }

// stamps tell one state of both files from another.
type stamps [2]struct {
	changed time.Time
	size    int64
}

// OpenCertificate reads the certificate that the operator names; nil if there is
// none, which is to speak in clear text.
func OpenCertificate(c Config, log *slog.Logger) (*Certificate, error) {
	if c.TLSCert == "" {
		return nil, nil
	}
	o := &Certificate{pair: c.pair(), log: log, now: time.Now}
	// The state before it is read: what changes meanwhile is seen the next time.
	o.seen, o.looked = o.pair.stamps(), o.now()
	read, err := o.pair.read()
	if err != nil {
		return nil, err
	}
	o.current.Store(read)
	return o, nil
}

// TLS is how the service speaks; nil without a certificate.
func (o *Certificate) TLS() *tls.Config {
	if o == nil {
		return nil
	}
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) { return o.present(hello.Context()), nil },
	}
}

// present is the certificate for a connection that begins.
func (o *Certificate) present(ctx context.Context) *tls.Certificate {
	if o.mu.TryLock() {
		defer o.mu.Unlock()
		if now := o.now(); now.Sub(o.looked) >= lookEvery || now.Before(o.looked) {
			o.looked = now
			o.follow(ctx)
		}
	}
	return o.current.Load()
}

// follow takes over what has changed.
func (o *Certificate) follow(ctx context.Context) {
	now := o.pair.stamps()
	if now == o.seen {
		return
	}
	o.seen = now
	read, err := o.pair.read()
	if err != nil {
		o.log.WarnContext(ctx, "the changed certificate cannot be used, the old one stays in use", "error", err.Error())
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

// read reads both files. An error names the setting that is to blame.
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
