package postgres

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/domain/fault"
)

func TestConnectionToANodeIsAsTheDatabaseURLSays(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"postgres://mira:secret@db.example.org:5433/crm?sslmode=verify-full",
		"postgres://mira:secret@db-1.example.org,db-2.example.org/crm?sslmode=verify-full&target_session_attrs=read-write",
		"postgres:///crm?host=db.example.org&port=5433&user=mira&password=secret&sslmode=verify-full",
	} {
		config, err := pgx.ParseConfig(raw)
		if err != nil {
			t.Fatal(err)
		}
		if err := toNode(config, raw, "10.0.0.32:6000"); err != nil {
			t.Fatal(err)
		}
		if config.Host != "10.0.0.32" || config.Port != 6000 || len(config.Fallbacks) > 0 {
			t.Errorf("%s goes to %s:%d, or to one of %d others", raw, config.Host, config.Port, len(config.Fallbacks))
		}
		if config.TLSConfig == nil || config.TLSConfig.ServerName != "10.0.0.32" {
			t.Errorf("%s expects the certificate of another server", raw)
		}
		if config.User != "mira" || config.Password != "secret" || config.Database != "crm" {
			t.Errorf("%s connects as %s to %s", raw, config.User, config.Database)
		}
	}
}

func TestWorkerWithoutConnectionIsNamed(t *testing.T) {
	t.Parallel()
	err := OnNode(t.Context(), "postgres://mira:secret@db.example.org/crm", "127.0.0.1:1", func(*pgx.Conn) error { return nil })
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "the worker 127.0.0.1:1 does not respond") {
		t.Errorf("without a server: %v", err)
	}
}
