package credential_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/credential"
)

// contract 1.42, 5.7
func TestTokenShowsItsPublicIDAndHidesItsSecret(t *testing.T) {
	s, err := credential.Minter{}.Mint()
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^kt_[0-9a-f]{12}_[A-Za-z0-9_-]{43}$`).MatchString(s.Token) {
		t.Errorf("the token reads %s", s.Token)
	}
	read, ok := credential.Minter{}.Read(s.Token)
	if !ok || read.PublicID != s.PublicID || read.Hash != s.Hash {
		t.Errorf("read back %+v, want the public id and hash of %+v", read, s)
	}
}

// contract 14.31
func TestTokenOfACompanyNamesIt(t *testing.T) {
	s, err := credential.Minter{Tenant: "0a1b2c3d"}.Mint()
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^kt_0a1b2c3d[0-9a-f]{12}_[A-Za-z0-9_-]{43}$`).MatchString(s.Token) {
		t.Errorf("the token reads %s", s.Token)
	}
	read, ok := credential.Minter{}.Read(s.Token)
	if !ok || read.PublicID != s.PublicID || read.Hash != s.Hash {
		t.Errorf("read back %+v, want the public id and hash of %+v", read, s)
	}
	if code, ok := credential.TenantOf(s.Token); !ok || code != "0a1b2c3d" {
		t.Errorf("it names the company %q, %v", code, ok)
	}
	plain, err := credential.Minter{}.Mint()
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{plain.Token, s.Token[1:], s.Token[:40], "kt_0a1b2c3d_" + s.Token[24:], ""} {
		if code, ok := credential.TenantOf(token); ok {
			t.Errorf("%q names the company %s", token, code)
		}
	}
}

func TestTokensShareNothing(t *testing.T) {
	a, _ := credential.Minter{}.Mint()
	b, _ := credential.Minter{}.Mint()
	if a.PublicID == b.PublicID || a.Hash == b.Hash {
		t.Error("two tokens have the same public id or hash")
	}
}

func TestReadRejectsWhatIsNoToken(t *testing.T) {
	s, _ := credential.Minter{}.Mint()
	for _, token := range []string{
		"", "kt_", "kt__", s.Token[1:], s.Token + "x", s.Token[:len(s.Token)-1],
		strings.Replace(s.Token, "kt_", "xx_", 1), "kt_" + s.PublicID,
	} {
		if _, ok := (credential.Minter{}).Read(token); ok {
			t.Errorf("%q was taken for a token", token)
		}
	}
}
