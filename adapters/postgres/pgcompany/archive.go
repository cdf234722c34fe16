package pgcompany

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
)

// An export is a text file. Its first line is a header in JSON. For each table follow a line
// in JSON with its name and columns, its rows in the text format of COPY, a line with a
// backslash and a dot, and a line in JSON with the number and the checksum of the rows. The
// last line has the checksum of all lines before it.
//
// Chose a new format over that of pg_dump, because the container image has no PostgreSQL
// programs, and pg_restore cannot restore a schema under another name. Costs that only Kontor
// reads it.
const (
	archiveFormat  = "kontor company"
	archiveVersion = 1
)

type header struct {
	Format    string    `json:"format"`
	Version   int       `json:"version"`
	Name      string    `json:"name"`
	Code      string    `json:"code"`
	TimeZone  string    `json:"time_zone"`
	Migration int64     `json:"migration"`
	CreatedAt time.Time `json:"created_at"`
	Tables    []string  `json:"tables"`
}

// tableHead begins a table, tableEnd ends it.
type (
	tableHead struct {
		Table   string   `json:"table"`
		Columns []string `json:"columns"`
	}
	tableEnd struct {
		Rows   int64  `json:"rows"`
		SHA256 string `json:"sha256"`
		LastID *int64 `json:"last_id,omitempty"` // that the table has given, if it gives any
	}
)

type archiveEnd struct {
	Tables int    `json:"tables"`
	SHA256 string `json:"sha256"`
}

var endOfRows = []byte("\\.\n")

type archiveWriter struct {
	to    *bufio.Writer
	whole hash.Hash
	rows  hash.Hash
}

func newArchiveWriter(to io.Writer) *archiveWriter {
	return &archiveWriter{to: bufio.NewWriterSize(to, 1<<16), whole: sha256.New(), rows: sha256.New()}
}

func (w *archiveWriter) Write(p []byte) (int, error) {
	w.rows.Write(p)
	return w.raw(p)
}

func (w *archiveWriter) raw(p []byte) (int, error) {
	w.whole.Write(p)
	return w.to.Write(p)
}

func (w *archiveWriter) line(value any) error {
	text, err := json.Marshal(value)
	if err == nil {
		_, err = w.raw(append(text, '\n'))
	}
	return err
}

func (w *archiveWriter) endTable(rows int64, lastID *int64) error {
	if _, err := w.raw(endOfRows); err != nil {
		return err
	}
	end := tableEnd{Rows: rows, SHA256: sum(w.rows), LastID: lastID}
	w.rows.Reset()
	return w.line(end)
}

func (w *archiveWriter) end(tables int) error {
	if err := w.line(archiveEnd{Tables: tables, SHA256: sum(w.whole)}); err != nil {
		return err
	}
	return w.to.Flush()
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// archiveReader reads an export. Read gives the rows of a table, until io.EOF.
type archiveReader struct {
	from    *bufio.Reader
	whole   hash.Hash
	rows    hash.Hash
	inLine  bool   // Read is within a row
	pending []byte // of a row that was read
	failure error  // why the file cannot be read on
}

func newArchiveReader(from io.Reader) *archiveReader {
	return &archiveReader{from: bufio.NewReaderSize(from, 1<<16), whole: sha256.New(), rows: sha256.New()}
}

func damaged(format string, args ...any) error {
	return fault.New(fault.Invalid, "the export cannot be restored: "+format, args...)
}

var errEndsEarly = damaged("the file ends before the export does")

// maxLine is far more than a line in JSON has.
const maxLine = 1 << 20

func (r *archiveReader) line(into any) error {
	var text []byte
	for {
		part, err := r.from.ReadSlice('\n')
		text = append(text, part...)
		if err == nil {
			break
		}
		if errors.Is(err, io.EOF) {
			return errEndsEarly
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return fmt.Errorf("read the export: %w", err)
		}
		if len(text) > maxLine {
			return damaged("a line is too long")
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return damaged("%q is not a line of an export", shortened(text))
	}
	r.whole.Write(text)
	return nil
}

func shortened(text []byte) []byte { return bytes.TrimSpace(text[:min(len(text), 60)]) }

func (r *archiveReader) Read(p []byte) (int, error) {
	if len(r.pending) == 0 {
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.pending)
	r.pending = r.pending[n:]
	return n, nil
}

func (r *archiveReader) fill() error {
	part, err := r.from.ReadSlice('\n')
	switch {
	case err == nil && !r.inLine && bytes.Equal(part, endOfRows):
		r.whole.Write(part)
		return io.EOF
	case errors.Is(err, io.EOF):
		r.failure = errEndsEarly
		return r.failure
	case err != nil && !errors.Is(err, bufio.ErrBufferFull):
		r.failure = fmt.Errorf("read the export: %w", err)
		return r.failure
	}
	r.inLine = err != nil
	r.rows.Write(part)
	r.whole.Write(part)
	r.pending = part
	return nil
}

func (r *archiveReader) endTable(table string, rows int64) (lastID *int64, err error) {
	var end tableEnd
	if err := r.line(&end); err != nil {
		return nil, err
	}
	if found := sum(r.rows); end.SHA256 != found || end.Rows != rows {
		return nil, damaged("the rows of the table %s do not have their checksum", table)
	}
	r.rows.Reset()
	return end.LastID, nil
}

func (r *archiveReader) end(tables int) error {
	found := sum(r.whole)
	var end archiveEnd
	if err := r.line(&end); err != nil {
		return err
	}
	if end.SHA256 != found || end.Tables != tables {
		return damaged("the file does not have its checksum")
	}
	if _, err := r.from.ReadByte(); !errors.Is(err, io.EOF) {
		return damaged("something follows the end of the export")
	}
	return nil
}
