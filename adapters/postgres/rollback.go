package postgres

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"github.com/kontor-crm/kontor/migrations"
)

// Rollback is what rolling back migrations loses.
type Rollback struct {
	Migrations []string // that are applied, newest first
	Tables     []TableSize
}

// TableSize is a table that a rollback drops, with the number of its records.
type TableSize struct {
	Name    string
	Records int64
}

// RollbackTo returns what MigrateDownTo would lose now, without the data in columns that the migrations
// added to tables that stay. Its errors are those of MigrateDownTo.
func RollbackTo(ctx context.Context, databaseURL string, number int64) (r Rollback, err error) {
	err = withProvider(ctx, databaseURL, migrations.FS, func(p *goose.Provider) error {
		if err := checkKnown(ctx, p); err != nil {
			return err
		}
		status, err := p.Status(ctx)
		for _, s := range status { // oldest first
			if s.State == goose.StateApplied && s.Source.Version > number {
				r.Migrations = append([]string{s.Source.Path}, r.Migrations...)
			}
		}
		return err
	})
	if err != nil {
		return r, err
	}
	tables, err := droppedTables(r.Migrations)
	if err != nil {
		return r, err
	}
	err = withConn(ctx, databaseURL, func(conn *pgx.Conn) error {
		for _, name := range tables {
			size := TableSize{Name: name}
			if err := conn.QueryRow(ctx, "select count(*) from "+pgx.Identifier{name}.Sanitize()).Scan(&size.Records); err != nil {
				return fmt.Errorf("count the records of %s: %w", name, err)
			}
			r.Tables = append(r.Tables, size)
		}
		return nil
	})
	return r, err
}

var dropTable = regexp.MustCompile(`(?mi)^drop table ([a-z0-9_, \n]+);`)

// droppedTables returns the tables that the way back of these migrations drops, in their order.
func droppedTables(names []string) (tables []string, err error) {
	for _, name := range names {
		file, err := fs.ReadFile(migrations.FS, name)
		if err != nil {
			return nil, fmt.Errorf("read a migration: %w", err)
		}
		_, down, _ := strings.Cut(string(file), downMark)
		for _, statement := range dropTable.FindAllStringSubmatch(down, -1) {
			for table := range strings.SplitSeq(statement[1], ",") {
				tables = append(tables, strings.TrimSpace(table))
			}
		}
	}
	return tables, nil
}
