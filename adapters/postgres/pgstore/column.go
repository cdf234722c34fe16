package pgstore

import (
	"database/sql"
	"fmt"
	"time"

	"github.com/kontor-crm/kontor/adapters/textkey"
)

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

// nullTime scans a time that may be null, which is the zero time.
type nullTime = sql.NullTime

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
