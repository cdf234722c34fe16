package pgstore

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain"
)

// columns is what a function goes over the columns of a table with, for one purpose. The functions below add a column
// each, or one with its key, and their comments say what the field of the state is.
type columns struct {
	purpose
	declared []column
	values   []any     // the targets of a scan, or what is stored
	at       time.Time // of the unit of work
}

type purpose uint8

const (
	declaring purpose = iota
	reading
	storing
)

// column is a column and its SQL, with %s for its name.
type column struct {
	name           string
	read           string // the SQL that selects it; "": it is not read
	insert, update string // the SQL that stores it, with ? for the value; "": it does not
}

// add adds a column and, if it is read, the target of its scan. It reports whether its value is to be added to values.
func (c *columns) add(d column, target any) (isStored bool) {
	switch {
	case c.purpose == declaring:
		if d.read != "" && d.read != "%s" {
			d.read += " as %s"
		}
		d.read, d.update = strings.ReplaceAll(d.read, "%s", d.name), strings.ReplaceAll(d.update, "%s", d.name)
		c.declared = append(c.declared, d)
	case c.purpose == reading && d.read != "":
		c.values = append(c.values, target)
	}
	return c.purpose == storing
}

// stored adds a column whose SQL to be read is given, and reports whether its value is to be added to values.
func (c *columns) stored(name, read string, target any) (isStored bool) {
	return c.add(column{name, read, "?", "?"}, target)
}

// generated is a column that the database stores.
func generated[T any](c *columns, name string, field *T) {
	c.add(column{name: name, read: "%s"}, field)
}

// versionOf is the version, which each update increments.
func versionOf(c *columns, field *int64) {
	c.add(column{name: "version", read: "%s", update: "%s + 1"}, field)
}

// value is a value as it is.
func value[T any](c *columns, name string, field *T) {
	if c.stored(name, "%s", field) {
		c.values = append(c.values, *field)
	}
}

// list is a list that is stored as JSON; an empty one is null.
func list[T any](c *columns, name string, field *[]T) {
	if !c.stored(name, "%s", field) {
		return
	}
	if len(*field) == 0 {
		c.values = append(c.values, nil)
		return
	}
	text, err := json.Marshal(*field)
	if err != nil {
		panic(err) // values of the domain can all be written
	}
	c.values = append(c.values, string(text))
}

// spelled is a value that is read and stored as a text, such as a number, which so loses no digit.
func spelled[T fmt.Stringer](c *columns, name string, field *T, parse func(string) (T, error)) {
	if c.stored(name, "%s::text", parsed(field, parse)) {
		c.values = append(c.values, (*field).String())
	}
}

// text is a text that may be missing.
func text[T ~string](c *columns, name string, field *T) {
	if c.stored(name, "coalesce(%s, '')", field) {
		c.values = append(c.values, missing(string(*field)))
	}
}

// day is a day as YYYY-MM-DD, which may be missing.
func day(c *columns, name string, field *string) {
	if c.stored(name, "coalesce(%s::text, '')", field) {
		c.values = append(c.values, missing(*field))
	}
}

// sorted is a text that may be missing, with its key beside it.
func sorted(c *columns, name string, field *string) {
	text(c, name, field)
	keyOf(c, name, *field)
}

// title is a text that is never missing, with its key beside it.
func title(c *columns, name string, field *string) {
	value(c, name, field)
	keyOf(c, name, *field)
}

// computed is a text that the state computes, with its key beside it.
func computed(c *columns, name, text string) {
	if c.stored(name, "", nil) {
		c.values = append(c.values, text)
	}
	keyOf(c, name, text)
}

func keyOf(c *columns, name, text string) {
	switch c.purpose {
	case declaring:
		c.stored(name+"_key", "", nil)
	case storing:
		c.values = append(c.values, key(text))
	}
}

// referenceTo is the id of another record, which may be missing.
func referenceTo[ID ~int64](c *columns, name string, field *ID) {
	if c.stored(name, "coalesce(%s, 0)", field) {
		c.values = append(c.values, reference(*field))
	}
}

// optionalTime is a time that may be missing.
func optionalTime(c *columns, name string, field *time.Time) {
	if c.stored(name, "%s", zeroTime(field)) {
		c.values = append(c.values, instant(*field))
	}
}

// optional is a value that may be absent.
func optional[T any](c *columns, name string, field *domain.Optional[T]) {
	isStored := c.stored(name, "%s", scanner(func(src any) error {
		var found sql.Null[T]
		err := found.Scan(src)
		if found.Valid {
			*field = domain.Some(found.V)
		}
		return err
	}))
	if isStored {
		v, ok := field.Get()
		c.values = append(c.values, sql.Null[T]{V: v, Valid: ok})
	}
}

// touched is the time of the last change, which the state does not have.
func touched(c *columns, name string) {
	if c.add(column{name, "", "?", "greatest(%s, ?)"}, nil) {
		c.values = append(c.values, c.at)
	}
}

// missing is the stored form of a text: an empty one is null.
func missing(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// key is the stored key of a text: that of an empty one is null.
func key(s string) any {
	if s == "" {
		return nil
	}
	return textkey.Of(s)
}

// instant is the stored form of a time: the zero time is null.
func instant(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

// reference is the stored form of an id: zero is null.
func reference[ID ~int64](id ID) any {
	if id == 0 {
		return nil
	}
	return int64(id)
}

// zeroTime scans a time that may be null, which is the zero time.
func zeroTime(into *time.Time) sql.Scanner {
	return scanner(func(src any) error {
		*into, _ = src.(time.Time)
		return nil
	})
}

// parsed scans a value that is selected as text, such as a number, which so loses no digit.
func parsed[T any](into *T, parse func(string) (T, error)) sql.Scanner {
	return scanner(func(src any) (err error) {
		s, ok := src.(string)
		if !ok {
			return fmt.Errorf("%T is not text", src)
		}
		*into, err = parse(s)
		return err
	})
}

type scanner func(src any) error

func (f scanner) Scan(src any) error { return f(src) }
