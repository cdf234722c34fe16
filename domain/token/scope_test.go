package token_test

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
)

// contract 5.26
func TestScopesAreParsedSortedAndSuggested(t *testing.T) {
	resources := []string{"client", "invoice", "deal-type"}
	for given, want := range map[string]token.Scopes{
		"":             "",
		"invoice:read": "invoice:read",
		"invoice:read, client:write,invoice:read": "client:write,invoice:read",
		"deal-type:write":                         "deal-type:write",
	} {
		var scopes []string
		if given != "" {
			scopes = strings.Split(given, ",")
		}
		if got, err := token.ParseScopes(scopes, resources); got != want || err != nil {
			t.Errorf("%q: got %q, %v", given, got, err)
		}
	}
	for given, want := range map[string]string{
		"invoce:read":  "scope invoce:read is unknown; did you mean invoice:read?",
		"client:wirte": "scope client:wirte is unknown; did you mean client:write?",
		"client":       "scope client is unknown: it is RESOURCE:read or RESOURCE:write, with one of the resources client, invoice, deal-type",
		"":             "scope  is unknown: it is RESOURCE:read or RESOURCE:write, with one of the resources client, invoice, deal-type",
	} {
		if _, err := token.ParseScopes([]string{"client:read", given}, resources); !fault.Is(err, fault.Invalid) || fault.As(err).Message != want {
			t.Errorf("%q: got %v, want %q", given, err, want)
		}
	}
}

// contract 5.27
func TestScopesAllowWhatTheyName(t *testing.T) {
	const scopes token.Scopes = "client:write,invoice:read"
	for _, tt := range []struct {
		scopes token.Scopes
		err    error
		lacks  string
	}{
		{scopes, scopes.CheckRead("client"), ""},
		{scopes, scopes.CheckWrite("client"), ""},
		{scopes, scopes.CheckRead("invoice"), ""},
		{scopes, scopes.CheckWrite("invoice"), "invoice:write"},
		{scopes, scopes.CheckRead("deal"), "deal:read"},
		{scopes, scopes.CheckRead("invoice-items"), "invoice-items:read"},
		{"", token.Scopes("").CheckWrite("deal"), ""},
		{"", token.Scopes("").CheckRead("deal"), ""},
	} {
		if tt.lacks == "" && tt.err == nil {
			continue
		}
		if f := fault.As(tt.err); f == nil || f.Kind != fault.Forbidden || f.Message != "the token needs the scope "+tt.lacks {
			t.Errorf("%q: got %v, want it to lack %q", tt.scopes, tt.err, tt.lacks)
		}
	}
}

// contract 5.27
func TestScopesCoverThoseThatAllowNoMore(t *testing.T) {
	for _, tt := range []struct {
		scopes, others token.Scopes
		want           bool
	}{
		{"", "", true},
		{"", "client:read", true},
		{"client:write", "", false},
		{"client:read", "client:read", true},
		{"client:write", "client:read", true},
		{"client:write", "client:write", true},
		{"client:read", "client:write", false},
		{"client:write", "client:read,client:write", true},
		{"client:write,deal:read", "client:read,deal:read", true},
		{"client:write,deal:read", "deal:write", false},
		{"client:write", "client:read,deal:read", false},
		{"client:write", "deal:read,client:read", false},
	} {
		if got := tt.scopes.Covers(tt.others); got != tt.want {
			t.Errorf("%q covers %q: got %v, want %v", tt.scopes, tt.others, got, tt.want)
		}
	}
}
