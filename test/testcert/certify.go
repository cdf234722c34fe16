// Package testcert creates self-signed certificates for tests; a client has to be
// given the certificate to trust.
package testcert

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Pair is a certificate and its key, in PEM.
type Pair struct{ Certificate, Key []byte }

// New creates a certificate for this machine, valid from yesterday until then.
func New(t testing.TB, name string, until time.Time) Pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		DNSNames:     []string{name, "localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		NotBefore:    time.Now().Add(-24 * time.Hour),
		NotAfter:     until,
		IsCA:         true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return Pair{
		Certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}),
		Key:         pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	}
}

// Files are where a pair lies.
type Files struct{ Certificate, Key string }

// Place puts the pair into a new folder.
func (p Pair) Place(t testing.TB) Files {
	t.Helper()
	folder := t.TempDir()
	f := Files{filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")}
	Write(t, f.Certificate, p.Certificate)
	Write(t, f.Key, p.Key)
	return f
}

// Write replaces a file in one step, with a time of change that no earlier one had:
// two changes at once would look like one on a file system of coarse times.
func Write(t testing.TB, file string, content []byte) {
	t.Helper()
	changed := time.Now()
	if template, err := os.Stat(file); err == nil && !changed.After(template.ModTime().Add(time.Second)) {
		changed = template.ModTime().Add(time.Second)
	}
	beside := file + ".new"
	if err := os.WriteFile(beside, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(beside, changed, changed); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(beside, file); err != nil {
		t.Fatal(err)
	}
}
