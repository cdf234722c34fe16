package credential_test

import (
	"crypto/sha256"
	"regexp"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/credential"
	"github.com/kontor-crm/kontor/test/fuzzseed"
)

var token = regexp.MustCompile(`^kt_((?:[0-9a-f]{8})?[0-9a-f]{12})_([A-Za-z0-9_-]{43})$`)

// contract 1.42, 3.10, 5.7
func FuzzReadParsesATokenOrRejects(f *testing.F) {
	secret := strings.Repeat("aZ0-_", 8) + "abc"
	fuzzseed.Texts(f, "kt_0123456789ab_"+secret, "kt_0123456789abcdef0123_"+secret, "kt_0123456789AB_"+secret, "kt_"+strings.Repeat("\x00", 12)+"_"+secret, "kt_"+strings.Repeat("\xff", 12)+"_"+secret, "kt_0123456789ab_"+secret[1:]+"\n", "kt_0123456789ab", "kt__", "xx_0123456789ab_"+secret, "")
	f.Fuzz(func(t *testing.T, text string) {
		s, ok := credential.Minter{}.Read(text)
		parts := token.FindStringSubmatch(text)
		if ok != (parts != nil) {
			t.Fatalf("%q is a token: %v", text, ok)
		}
		if ok && (s.PublicID != parts[1] || s.Hash != sha256.Sum256([]byte(parts[2]))) {
			t.Errorf("%q is taken apart as %+v", text, s)
		}
	})
}
