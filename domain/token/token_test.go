package token_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/domain/user"
)

var noon = time.Date(2024, 3, 4, 12, 0, 0, 0, time.UTC)

const owner user.ID = 3

func TestNewTokenHasItsExpiry(t *testing.T) { // contract 5.7, 5.8
	hash := token.Hash{1, 2, 3}
	for _, tt := range []struct {
		ttl  time.Duration
		ends time.Time
	}{
		{token.DefaultTTL, time.Date(2024, 6, 2, 12, 0, 0, 0, time.UTC)}, // 90 days later
		{time.Second, noon.Add(time.Second)},
		{0, time.Time{}},
	} {
		tok, err := token.New(owner, "a1b2", hash, tt.ttl, noon)
		if err != nil {
			t.Fatal(err)
		}
		want := token.State{UserID: owner, PublicID: "a1b2", Hash: hash, CreatedAt: noon, ExpiresAt: tt.ends}
		if diff := cmp.Diff(want, tok.State()); diff != "" {
			t.Errorf("ttl %v: -want +got\n%s", tt.ttl, diff)
		}
	}
}

func TestNewTokenRejectsANegativeLifetime(t *testing.T) {
	_, err := token.New(owner, "a1b2", token.Hash{}, -time.Second, noon)
	if got := fmt.Sprint(err); got != "invalid: ttl must not be negative" {
		t.Errorf("got %s", got)
	}
}

func TestTokenIsUsableUntilItExpiresOrIsRevoked(t *testing.T) { // contract 3.10
	hour := token.State{CreatedAt: noon, ExpiresAt: noon.Add(time.Hour)}
	eternal := token.State{CreatedAt: noon}
	revoked := token.State{CreatedAt: noon, RevokedAt: noon.Add(time.Hour)}
	for _, tt := range []struct {
		name  string
		state token.State
		after time.Duration
		want  bool
	}{
		{"fresh", hour, 0, true},
		{"in its last moment", hour, time.Hour - 1, true},
		{"when it expires", hour, time.Hour, false},
		{"afterwards", hour, 2 * time.Hour, false},
		{"one that never expires", eternal, 100 * 365 * 24 * time.Hour, true},
		{"revoked", revoked, 2 * time.Hour, false},
		{"revoked by a clock that is ahead of ours", revoked, 0, false},
	} {
		if got := token.Restore(tt.state).Usable(noon.Add(tt.after)); got != tt.want {
			t.Errorf("%s: usable %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestTokenRevokedTwiceKeepsTheFirstTime(t *testing.T) {
	tok := token.Restore(token.State{CreatedAt: noon})
	tok.Revoke(noon.Add(time.Minute))
	tok.Revoke(noon.Add(time.Hour))
	if got := tok.State().RevokedAt; !got.Equal(noon.Add(time.Minute)) {
		t.Errorf("revoked at %v", got)
	}
}

// contract 5.8
func TestTokenRecordIsKeptFor90Days(t *testing.T) {
	if until := noon.Add(token.EndedLife); !until.Equal(noon.AddDate(0, 0, 90)) {
		t.Errorf("it is kept until %s", until)
	}
}

// contract 5.8
func TestLifeIsParsedFromDaysAndHours(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"never":   0,
		"0":       0,
		"12h":     12 * time.Hour,
		"1h30m":   90 * time.Minute,
		"30d":     30 * day,
		"1d12h":   day + 12*time.Hour,
		"65535d":  65535 * day,
		"-1h":     -time.Hour, // New refuses it
		"2d1h30m": 2*day + 90*time.Minute,
	} {
		if got, err := token.ParseLife(text); got != want || err != nil {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "soon", "30", "-1d", "1d-1h", "1.5d", "65536d", "12h1d", "1dd"} {
		if got, err := token.ParseLife(text); err == nil || err.Error() != "must be a duration, such as 30d, 12h or 1d12h" {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
}

func TestRestrictedTokenHasScopesAndALabel(t *testing.T) { // contract 5.26
	tok := token.Restore(token.State{ID: 4})
	if err := tok.Restrict("client:read", "shop"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(token.State{ID: 4, Scopes: "client:read", Label: "shop"}, tok.State()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if err := tok.Restrict("", strings.Repeat("x", 1000)); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "label") {
		t.Errorf("a label that is too long: got %v", err)
	}
}
