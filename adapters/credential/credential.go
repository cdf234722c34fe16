// Package credential mints and parses access tokens. A token has the form
// kt_<public id>_<secret>: by the prefix, people and scanners recognise a leaked
// token, the public id identifies it without disclosing it, and the secret is 256
// random bits, of which only a hash is stored. The public id of a company's token begins with
// the code of the company, so that a request finds its company without looking it up.
package credential

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/tenant"
)

const (
	prefix     = "kt_"
	codeSize   = 4 // of a company
	publicSize = 6 // of the rest of the public id
	secretSize = 32
)

// The length of a public id, in digits: in the default company, and in another one.
const (
	ofDefault = 2 * publicSize
	ofCompany = 2 * (codeSize + publicSize)
)

// The alphabets of the two parts.
var (
	lowerHex   = alphabetOf("0123456789abcdef")
	urlLetters = alphabetOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
)

// alphabet is a set of octets.
//
// Chose: a table over strings.Trim. Because: a request parses its token several times, and the
// table saves a hundredth of the CPU time of a read. Costs: this type.
type alphabet [256]bool

func alphabetOf(letters string) (a alphabet) {
	for _, c := range []byte(letters) {
		a[c] = true
	}
	return a
}

// hasAllOf reports whether the text has no other octets.
func (a *alphabet) hasAllOf(text string) bool {
	for i := range len(text) {
		if !a[text[i]] {
			return false
		}
	}
	return true
}

// Minter is the ports.TokenMinter of the product, for the tokens of one company; the zero
// value is for those of the default company.
type Minter struct{ Tenant tenant.Code }

// Mint makes a token of 256 random bits.
func (m Minter) Mint() (ports.Secret, error) {
	var random [publicSize + secretSize]byte
	if _, err := rand.Read(random[:]); err != nil {
		return ports.Secret{}, fmt.Errorf("read random bits: %w", err)
	}
	publicID := string(m.Tenant) + hex.EncodeToString(random[:publicSize])
	secret := base64.RawURLEncoding.EncodeToString(random[publicSize:])
	return ports.Secret{
		Token:    prefix + publicID + "_" + secret,
		PublicID: publicID,
		Hash:     sha256.Sum256([]byte(secret)),
	}, nil
}

// Read parses a token of any company; ok is false if it does not have the form of a token.
func (Minter) Read(token string) (s ports.Secret, ok bool) {
	publicID, secret, ok := split(token)
	if !ok {
		return s, false
	}
	return ports.Secret{PublicID: publicID, Hash: sha256.Sum256([]byte(secret))}, true
}

func split(token string) (publicID, secret string, ok bool) {
	rest, ok := strings.CutPrefix(token, prefix)
	if !ok {
		return "", "", false
	}
	publicID, secret, ok = strings.Cut(rest, "_")
	if !ok || len(publicID) != ofDefault && len(publicID) != ofCompany || len(secret) != base64.RawURLEncoding.EncodedLen(secretSize) {
		return "", "", false
	}
	// The public id is looked up, and no store takes any octets for text.
	if !lowerHex.hasAllOf(publicID) || !urlLetters.hasAllOf(secret) {
		return "", "", false
	}
	return publicID, secret, true
}

// TenantOf returns the code of the company in the token; ok is false for a token of the
// default company, and for a text that is not a well-formed token.
func TenantOf(token string) (code tenant.Code, ok bool) {
	publicID, _, ok := split(token)
	if !ok || len(publicID) != ofCompany {
		return "", false
	}
	return tenant.ParseCode(publicID[:2*codeSize])
}
