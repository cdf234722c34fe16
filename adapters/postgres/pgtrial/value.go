package pgtrial

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/kontor-crm/kontor/domain/money"
)

// value is a column of a row in PostgreSQL's binary format; nil is null.
type value []byte

// integer returns a smallint, integer or bigint; null is 0.
func integer[N ~int | ~int32 | ~int64 | ~uint8](v value) N {
	switch len(v) {
	case 2:
		return N(int16(binary.BigEndian.Uint16(v)))
	case 4:
		return N(int32(binary.BigEndian.Uint32(v)))
	case 8:
		return N(int64(binary.BigEndian.Uint64(v)))
	}
	return 0
}

// text returns a text; null is empty.
func text(v value) string { return string(v) }

func boolean(v value) bool { return len(v) == 1 && v[0] != 0 }

// epoch is the origin of PostgreSQL's times.
var epoch = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// instant returns a timestamp, with a time zone or without one; null is the zero
// time.
func instant(v value) time.Time {
	if len(v) != 8 {
		return time.Time{}
	}
	microseconds := integer[int64](v)
	return time.UnixMicro(epoch.UnixMicro() + microseconds).UTC()
}

// decimal returns a number that is selected as text, and so loses no digit.
func decimal[T any](into *T, v value, parse func(string) (T, error)) (err error) {
	if *into, err = parse(string(v)); err != nil {
		return fmt.Errorf("read the number %q: %w", v, err)
	}
	return nil
}

func amount(into *money.Amount, v value) error { return decimal(into, v, money.RestoreAmount) }
