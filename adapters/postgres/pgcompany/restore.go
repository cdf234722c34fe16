package pgcompany

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/company"
)

// Restore implements company.Store.
func (s *Store) Restore(ctx context.Context, from io.Reader, choose func(company.Company) (company.Company, error)) error {
	r := newArchiveReader(from)
	h, exported, err := readHeader(r)
	if err != nil {
		return err
	}
	added, err := choose(exported)
	if err != nil {
		return err
	}
	return s.Add(ctx, added, func(c company.Held) error {
		return s.restore(ctx, c.(*held), h, r)
	})
}

func readHeader(r *archiveReader) (h header, exported company.Company, err error) {
	if err := r.line(&h); err != nil {
		return h, exported, err
	}
	code, isCode := company.ParseCode(h.Code)
	switch {
	case h.Format != archiveFormat || !isCode:
		return h, exported, damaged("the file is not the export of a company")
	case h.Version != archiveVersion || h.Migration > postgres.Version:
		return h, exported, damaged("it is of a newer version of Kontor (migration %d, and this program knows those up to %d): "+
			"use that version", h.Migration, postgres.Version)
	}
	return h, company.Company{Code: code, Name: h.Name, TimeZone: h.TimeZone, CreatedAt: h.CreatedAt}, nil
}

// restore creates the company as it was exported, in one transaction, and then applies the
// migrations that it lacks. If that is interrupted, kontor migrate up finishes it.
func (s *Store) restore(ctx context.Context, c *held, h header, r *archiveReader) error {
	// The export can be read once: the transaction is not repeated.
	err := c.once(ctx, func(tx pgx.Tx) error {
		if err := postgres.CreateCompany(ctx, tx, c.row.Code, h.Migration, c.row.TimeZone); err != nil {
			return err
		}
		if err := fill(ctx, tx, h, r); err != nil {
			return err
		}
		if string(c.row.Code) != h.Code {
			if err := revokeTokens(ctx, tx); err != nil {
				return err
			}
		}
		return c.activate(ctx, tx, h.Migration)
	})
	if err != nil || h.Migration == postgres.Version {
		return err
	}
	return c.migrate(ctx, upwards)
}

func fill(ctx context.Context, tx pgx.Tx, h header, r *archiveReader) error {
	all, err := tables(ctx, tx)
	if err != nil {
		return fmt.Errorf("read the tables of the company: %w", err)
	}
	byName := map[string]table{}
	names := make([]string, len(all))
	for i, t := range all {
		byName[t.name] = t
		names[i] = pgx.Identifier{t.name}.Sanitize()
	}
	if len(h.Tables) != len(all) {
		return damaged("it has %d tables instead of %d", len(h.Tables), len(all))
	}
	if _, err := tx.Exec(ctx, "truncate "+strings.Join(names, ", ")); err != nil {
		return err
	}
	for _, name := range h.Tables {
		t, isKnown := byName[name]
		if !isKnown {
			return damaged("it has a table %q that Kontor does not have, or has it twice", name)
		}
		delete(byName, name)
		if err := fillTable(ctx, tx, t, r); err != nil {
			return err
		}
	}
	return r.end(len(all))
}

func fillTable(ctx context.Context, tx pgx.Tx, t table, r *archiveReader) error {
	var head tableHead
	if err := r.line(&head); err != nil {
		return err
	}
	if head.Table != t.name || !slices.Equal(slices.Sorted(slices.Values(head.Columns)), slices.Sorted(slices.Values(t.columns))) {
		return damaged("the table %s has other columns than Kontor's", t.name)
	}
	t.columns = head.Columns
	copied, err := tx.Conn().PgConn().CopyFrom(ctx, r, "copy "+t.sql()+" from stdin")
	if r.failure != nil {
		return r.failure
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && slices.Contains([]string{"22", "23"}, pg.Code[:2]) {
		return damaged("the table %s has wrong rows: %s", t.name, pg.Message)
	}
	if err != nil {
		return fmt.Errorf("restore the table %s: %w", t.name, err)
	}
	last, err := r.endTable(t.name, copied.RowsAffected())
	if err != nil || last == nil || t.identity == nil || *last == 0 {
		return err
	}
	_, err = tx.Exec(ctx, "select setval($1::text::regclass, $2)", *t.identity, *last)
	return err
}

// revokeTokens revokes the tokens of a company with another code, whose users have others.
func revokeTokens(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `
update tokens
set revoked_at = now()
where revoked_at is null`)
	return err
}
