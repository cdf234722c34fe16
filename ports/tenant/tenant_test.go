package tenant_test

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// contract 14.2
func TestCheckNameRejectsOtherNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "bakery-2", strings.Repeat("a", 63), "defaults", "pg"} {
		if err := tenant.CheckName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, says := range map[string]string{
		"": "must begin with a letter", "2nd": "must begin with a letter", "Bakery": "lower case", "a_b": "hyphens", "ä": "letters a to z",
		strings.Repeat("a", 64): "at most 63", "a b": "hyphens", "-a": "must begin", "a\n": "hyphens",
		"default": "is reserved", "public": "is reserved", "all": "is reserved", "kontor": "is reserved", "information-schema": "is reserved", "pg-x": "begin with pg-",
	} {
		err := tenant.CheckName(name)
		if !fault.Is(err, fault.Invalid) || fault.As(err).Fields[0].Name != "name" || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestParseCodeTakesEightHexDigits(t *testing.T) {
	t.Parallel()
	if c, ok := tenant.ParseCode("0a1b2c3d"); !ok || c.Schema() != "company_0a1b2c3d" {
		t.Errorf("%q, %v", c.Schema(), ok)
	}
	for _, s := range []string{"", "0a1b2c3", "0a1b2c3de", "0A1B2C3D", "0a1b2c3g"} {
		if _, ok := tenant.ParseCode(s); ok {
			t.Errorf("%q is read as a code", s)
		}
	}
	if tenant.Code("").Schema() != "" {
		t.Error("the default company has a schema of its own")
	}
}
