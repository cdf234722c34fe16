package token_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
