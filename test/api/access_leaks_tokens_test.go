package api_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/credential"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/user"
)

// credentials is the token of a request.
type credentials struct{ name, token string }

// parts returns the public and the secret part of the token. Of a malformed token
// everything is secret.
func (c credentials) parts() (public, secret string) {
	rest, ok := strings.CutPrefix(c.token, "kt_")
	if !ok {
		return "", c.token
	}
	public, secret, _ = strings.Cut(rest, "_")
	return public, secret
}

// traces returns all forms of the secret part: itself, its hash, the hash of the
// whole token, and the token as the user name of HTTP Basic.
func (c credentials) traces() map[string]string {
	_, secret := c.parts()
	ofSecret, ofToken := sha256.Sum256([]byte(secret)), sha256.Sum256([]byte(c.token))
	basic := base64.StdEncoding.EncodeToString([]byte(c.token))
	return map[string]string{
		"secret":                secret,
		"hash of the secret":    hex.EncodeToString(ofSecret[:]),
		"hash of the token":     hex.EncodeToString(ofToken[:]),
		"token in HTTP Basic":   basic[:len(basic)-8], // its end depends on the following text
		"secret without an end": secret[:len(secret)-4],
	}
}

// issue issues tokens of all kinds.
func issue(t *testing.T, config bootstrap.Config) map[string]credentials {
	t.Helper()
	op, closeAll, err := bootstrap.NewOperation(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	_, err = op.Commands.Users.Add(t.Context(), user.Attributes{
		Username: domain.Some("mira"), FirstName: domain.Some("Mira"), LastName: domain.Some("Berg"),
		Email: domain.Some("mira@example.org"), Role: domain.Some(user.Admin),
	})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]credentials{}
	add := func(name, token string) { all[name] = credentials{name, token} }
	for name, ttl := range map[string]time.Duration{"good": time.Hour, "unseen": time.Hour, "expired": time.Millisecond, "revoked": time.Hour} {
		secret, _, err := op.Commands.Tokens.Issue(t.Context(), "mira", ttl)
		if err == nil && name == "revoked" {
			err = op.Commands.Tokens.Revoke(t.Context(), secret.PublicID)
		}
		if err != nil {
			t.Fatal(err)
		}
		add(name, secret.Token)
	}
	for _, name := range []string{"made up", "another's secret"} {
		minted, err := credential.Minter{}.Mint()
		if err != nil {
			t.Fatal(err)
		}
		add(name, minted.Token)
	}
	public, _ := all["good"].parts()
	_, secret := all["another's secret"].parts()
	add("another's secret", "kt_"+public+"_"+secret)
	add("of another form", "a-password-"+secret[:30])
	return all
}

// places are those of clause 5.1.
var places = map[string]func(r *http.Request, token string){
	"5.1a": func(r *http.Request, token string) { addQuery(r, "auth_key", token) },
	"5.1b": func(r *http.Request, token string) { addQuery(r, "access-token", token) },
	"5.1c": func(r *http.Request, token string) { r.Header.Set("Access-Token", token) },
	"5.1d": func(r *http.Request, token string) { r.Header.Set("Authorization", "Bearer "+token) },
	"5.1e": func(r *http.Request, token string) { r.SetBasicAuth(token, "x") },
}

// addQuery adds a parameter to the query, which may be malformed.
func addQuery(r *http.Request, name, value string) {
	if r.URL.RawQuery != "" {
		r.URL.RawQuery += "&"
	}
	r.URL.RawQuery += name + "=" + url.QueryEscape(value)
}
