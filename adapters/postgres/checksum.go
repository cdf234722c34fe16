package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// checksummed are migrations that record their checksums: each inserts its own in its transaction, and its way back
// deletes it. The checksum is that of the file, not of the text with these statements.
//
// Chose: statements in the text of a migration over a hook of the tool. Because: the tool has none within the transaction
// of a migration. Costs: the text of migrations is changed.
type checksummed struct{ fs.FS }

func (c checksummed) Open(name string) (fs.File, error) {
	f, err := c.FS.Open(name)
	number := numberOf(name)
	if err != nil || number == 0 {
		return f, err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	up, down, hasDown := strings.Cut(string(text), downMark)
	up += fmt.Sprintf("\ninsert into migration_checksums (version, sha256)\nvalues (%d, '%s');\n", number, checksum(text))
	if hasDown {
		up += fmt.Sprintf("\n%s\ndelete from migration_checksums\nwhere version = %d;\n%s", downMark, number, down)
	}
	info, err := f.Stat()
	return &textFile{Reader: bytes.NewReader([]byte(up)), info: info}, err
}

// downMark begins the way back of a migration.
const downMark = "-- +goose Down"

// numberOf returns the number of the migration in a file; 0 if it is none.
func numberOf(name string) int64 {
	digits, _, _ := strings.Cut(path.Base(name), "_")
	number, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || path.Ext(name) != ".sql" {
		return 0
	}
	return number
}

func checksum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// EditedMigration is the error of a database that has applied another version of a migration.
type EditedMigration struct{ Name string }

func (e EditedMigration) Error() string {
	return fmt.Sprintf("the migration %s is not the one that the database has applied under this name: use the program that "+
		"applied it, or a database that this program has migrated from the start", e.Name)
}

// CheckUnedited returns an EditedMigration if an applied migration differs from the one in files.
func CheckUnedited(ctx context.Context, db querier, files fs.FS) error {
	edited, err := editedMigrations(ctx, db, files)
	if err == nil && len(edited) > 0 {
		err = EditedMigration{edited[0]}
	}
	return err
}

// editedMigrations returns the names of the applied migrations that differ from those in files. One without a checksum
// differs, since every migration records one. Those that are not in files are ignored.
func editedMigrations(ctx context.Context, db querier, files fs.FS) (edited []string, err error) {
	recorded, err := readChecksums(ctx, db)
	if err != nil {
		return nil, fmt.Errorf("read the checksums of the migrations: %w", err)
	}
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("list the migrations: %w", err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read a migration: %w", err)
		}
		if sum, isApplied := recorded[numberOf(name)]; isApplied && sum != checksum(text) {
			edited = append(edited, name)
		}
	}
	return edited, nil
}

// readChecksums returns the checksums by the numbers of the applied migrations; "" where there is none.
func readChecksums(ctx context.Context, db querier) (map[int64]string, error) {
	recorded := map[int64]string{}
	var hasMigrations, hasChecksums bool
	err := db.QueryRow(ctx, "select to_regclass('"+migrationsTable+"') is not null, to_regclass('migration_checksums') is not null",
		pgx.QueryExecModeSimpleProtocol).Scan(&hasMigrations, &hasChecksums)
	if err != nil || !hasMigrations {
		return recorded, err
	}
	sql := "select version_id, '' from " + migrationsTable
	if hasChecksums {
		sql = "select version_id, coalesce(sha256, '') from " + migrationsTable + " left join migration_checksums on version = version_id"
	}
	var number int64
	var sum string
	rows, err := db.Query(ctx, sql+" where is_applied and version_id > 0", pgx.QueryExecModeSimpleProtocol)
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&number, &sum}, func() error {
			recorded[number] = sum
			return nil
		})
	}
	return recorded, err
}
