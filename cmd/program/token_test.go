package program

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 1.38, 5.8
func TestTokenIsIssuedForDaysAndRevokedByTheIDsOfTheList(t *testing.T) {
	t.Setenv("KONTOR_DATABASE_URL", pgtest.URL(t))
	for _, line := range []string{
		"user add --username ann", "token issue --user ann --ttl 30d", "token issue --user ann --ttl 1d12h", "token issue --user ann",
	} {
		if code, _, reported := called(t, strings.Fields(line)...); code != codeDone {
			t.Fatal(reported)
		}
	}
	type row struct {
		ID        int
		PublicID  string `json:"public_id"`
		CreatedAt string `json:"created_at"`
		ExpiresAt string `json:"expires_at"`
		RevokedAt string `json:"revoked_at"`
	}
	tokens := func() (byID [4]row) {
		_, printed, _ := called(t, "token", "list", "--output", "json")
		var list []row
		if err := json.Unmarshal([]byte(printed), &list); err != nil || len(list) != 3 {
			t.Fatalf("%v: %s", err, printed)
		}
		for _, r := range list {
			byID[r.ID] = r
		}
		return byID
	}
	issued := tokens()
	for id, want := range map[int]time.Duration{1: 30 * 24 * time.Hour, 2: 36 * time.Hour, 3: 90 * 24 * time.Hour} {
		created, _ := time.Parse(time.DateTime, issued[id].CreatedAt)
		if expires, err := time.Parse(time.DateTime, issued[id].ExpiresAt); err != nil || expires.Sub(created) != want {
			t.Errorf("token %d is valid from %s until %s, want for %s", id, issued[id].CreatedAt, issued[id].ExpiresAt, want)
		}
	}
	for _, given := range []string{strconv.Itoa(issued[2].ID), issued[3].PublicID} {
		if code, _, reported := called(t, "token", "revoke", given); code != codeDone {
			t.Errorf("kontor token revoke %s: %s", given, reported)
		}
	}
	if now := tokens(); now[1].RevokedAt != "" || now[2].RevokedAt == "" || now[3].RevokedAt == "" {
		t.Errorf("revoked are %v", now)
	}
	for _, given := range []string{"99", "0", "000000000000", "ann"} {
		if code, _, reported := called(t, "token", "revoke", given); code != codeFailed || reported != "kontor: "+given+": there is no such token\n" {
			t.Errorf("kontor token revoke %s ends with %d and reports %s", given, code, reported)
		}
	}
}

func TestServeSaysHowToMakeTheFirstUser(t *testing.T) {
	url := pgtest.URL(t)
	t.Setenv("KONTOR_DATABASE_URL", url)
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	c := bootstrap.Config{DatabaseURL: url, DataDir: "/srv/kontor"}
	serveOptions{}.sayHowToBegin(t.Context(), c, logger)
	if said := log.String(); !strings.Contains(said, "level=WARN") || !strings.Contains(said, `run="kontor user add --username NAME --role admin" then="kontor token issue --user NAME"`) {
		t.Errorf("without users serve logs %q", said)
	}
	log.Reset()
	serveOptions{private: true}.sayHowToBegin(t.Context(), c, logger)
	if said := log.String(); strings.Count(said, " --data-dir /srv/kontor") != 2 {
		t.Errorf("without users serve on a private database logs %q", said)
	}
	if code, _, reported := called(t, "user", "add", "--username", "ann"); code != codeDone {
		t.Fatal(reported)
	}
	log.Reset()
	serveOptions{}.sayHowToBegin(t.Context(), c, logger)
	if said := log.String(); said != "" {
		t.Errorf("with a user serve logs %q", said)
	}
}
