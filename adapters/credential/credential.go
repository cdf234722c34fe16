// Package credential mints and parses access tokens. A token has the form
// kt_<public id>_<secret>: by the prefix, people and scanners recognise a leaked
// token, the public id identifies it without disclosing it, and the secret is 256
// random bits, of which only a hash is stored.
package credential

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/kontor-crm/kontor/ports"
)

const (
	prefix     = "kt_"
	publicSize = 6
	secretSize = 32
)

// What the two parts are written with.
const (
	lowerHex   = "0123456789abcdef"
	urlLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
)

// Minter is the ports.TokenMinter of the product.
type Minter struct{}

// Mint makes a token of 256 random bits.
func (Minter) Mint() (ports.Secret, error) {
	var random [publicSize + secretSize]byte
	if _, err := rand.Read(random[:]); err != nil {
		return ports.Secret{}, fmt.Errorf("read random bits: %w", err)
	}
	publicID := hex.EncodeToString(random[:publicSize])
	secret := base64.RawURLEncoding.EncodeToString(random[publicSize:])
	return ports.Secret{
		Token:    prefix + publicID + "_" + secret,
		PublicID: publicID,
		Hash:     sha256.Sum256([]byte(secret)),
	}, nil
}

// Read parses a token; ok is false if it does not have the form of a token.
func (Minter) Read(token string) (s ports.Secret, ok bool) {
	rest, ok := strings.CutPrefix(token, prefix)
	if !ok {
		return s, false
	}
	publicID, secret, ok := strings.Cut(rest, "_")
	if !ok || len(publicID) != hex.EncodedLen(publicSize) || len(secret) != base64.RawURLEncoding.EncodedLen(secretSize) {
		return s, false
	}
	// The public id is looked up, and no store takes any octets for text.
	if strings.Trim(publicID, lowerHex) != "" || strings.Trim(secret, urlLetters) != "" {
		return s, false
	}
	return ports.Secret{PublicID: publicID, Hash: sha256.Sum256([]byte(secret))}, true
}
