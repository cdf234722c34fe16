package postgres

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/migrations"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// searchPath is the parameter of a database URL that names the schema.
const searchPath = "search_path"

// InTenant returns a URL with the search path of a company; for the default company the URL
// itself. The search path has no other schema, so that a table that is missing in the
// company is not found in another one.
//
// Chose: a URL over a parameter of every function. Because: everything that takes a URL then works
// for a company too. Costs: separate connections, so it is for operators' commands only.
func InTenant(databaseURL string, code tenant.Code) (string, error) {
	if code == "" {
		return databaseURL, nil
	}
	return withSearchPath(databaseURL, code.Schema())
}

func withSearchPath(databaseURL, schema string) (string, error) {
	u, err := url.Parse(databaseURL)
	if err != nil {
		return "", fmt.Errorf("read the database URL: %w", err)
	}
	query := u.Query()
	query.Set(searchPath, schema)
	u.RawQuery = query.Encode()
	return u.String(), nil
}

func isTenant(schema string) bool {
	_, digits, _ := strings.Cut(schema, "_")
	code, isCode := tenant.ParseCode(digits)
	return isCode && code.Schema() == schema
}

// sharedSchema is the schema with the catalogue of companies; package pgtenant says why it has
// this name.
const sharedSchema = "kontor_shared"

// sharedMigrationsTable lists the applied migrations of the catalogue.
const sharedMigrationsTable = "shared_migrations"

// MigrateShared creates the catalogue of companies, or brings it up to date. Several
// processes may call it at once.
func MigrateShared(ctx context.Context, databaseURL string) error {
	files, err := fs.Sub(migrations.Shared, "shared")
	if err != nil {
		return err
	}
	err = withConn(ctx, databaseURL, func(conn *pgx.Conn) error {
		// Citus, while a worker lacks metadata, rejects "create schema if not exists" of a schema that exists too.
		var exists bool
		if err := conn.QueryRow(ctx, "select to_regnamespace($1) is not null", sharedSchema).Scan(&exists); err != nil || exists {
			return err
		}
		_, err := conn.Exec(ctx, "create schema if not exists "+sharedSchema)
		if isState(err, uniqueViolation) {
			return nil // another process has created it meanwhile
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("create the schema of the catalogue: %w", err)
	}
	shared, err := withSearchPath(databaseURL, sharedSchema)
	if err != nil {
		return err
	}
	return MigrateUpFrom(ctx, shared, files)
}

// migrationLock is the key of the lock of a company's migrations: several companies are
// migrated at once.
func migrationLock(schema string) int64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, "kontor migrate "+schema) // never fails
	return int64(h.Sum64())
}

// trigramSchema finds the schema of the extension pg_trgm.
const trigramSchema = `
select quote_ident(n.nspname)
from pg_extension e
join pg_namespace n on n.oid = e.extnamespace
where e.extname = 'pg_trgm'`

// tenantFiles are the migrations as a company gets them. The database has one extension
// pg_trgm, created by the default company: its operator class is named with its schema, and
// a company that is rolled back leaves it.
//
// Chose: a changed text over a schema for the extension on every search path. Because: only a
// superuser may move an extension. Costs: the text of migrations is changed.
type tenantFiles struct {
	fs.FS
	trigrams string // the schema of pg_trgm, quoted
}

func (c tenantFiles) Open(name string) (fs.File, error) {
	f, err := c.FS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".sql") {
		return f, err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(text, []byte(" gin_trgm_ops"), []byte(" "+c.trigrams+".gin_trgm_ops"))
	text = bytes.ReplaceAll(text, []byte("drop extension pg_trgm;"), nil)
	info, err := f.Stat()
	return &textFile{Reader: bytes.NewReader(text), info: info}, err
}

type textFile struct {
	*bytes.Reader
	info fs.FileInfo
}

func (f *textFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (*textFile) Close() error                 { return nil }
