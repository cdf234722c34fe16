package postgres

import (
	"fmt"
	"io/fs"
	"strconv"

	"github.com/kontor-crm/kontor/migrations"
)

// Version is the number of the newest migration that this program knows. Every change
// row is stored with it, as writer_version; a migration may raise the lowest one that
// the database accepts.
var Version = newestMigration()

// newestMigration counts the migrations, which are numbered from 1 on without gaps.
func newestMigration() int64 {
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		panic("postgres: list the migrations: " + err.Error())
	}
	return int64(len(files))
}

// TooOld is the error of a program whose Version is below the minimum version of the
// database.
type TooOld struct {
	Version int64 // of this program
	Minimum int64 // of the database
}

func (e TooOld) Error() string {
	return fmt.Sprintf("this program is too old for the database, which requires programs that know migration %d; this one knows up to %d: "+
		"use a newer program, or revert migrations with the newest one (kontor migrate down)", e.Minimum, e.Version)
}

// checkVersion returns a TooOld if the minimum version, as settings store it, is above
// this program's.
func checkVersion(minimum string) error {
	required, err := strconv.ParseInt(minimum, 10, 64)
	if err != nil {
		return fmt.Errorf("read the minimum version: %w", err)
	}
	if Version < required {
		return TooOld{Version: Version, Minimum: required}
	}
	return nil
}
