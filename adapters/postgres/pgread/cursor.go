package pgread

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// cursor is a place between two records of a list: directly after or before one,
// which need not exist any more.
type cursor struct {
	before bool   // the page ends there; else it begins there
	isNull bool   // the record has no value to sort by
	key    string // the text of what it sorts by; "" if that is the id
	id     string
}

// cursorName names in a cursor the list and the order that it belongs to.
func (m *mapping) cursorName(orders []readmodel.Order) string {
	direction := "+"
	if orders[0].Descending {
		direction = "-"
	}
	return m.table + direction + orders[0].Attribute
}

// separator separates the parts of a cursor; no text contains it.
const separator = "\x1f"

func (m *mapping) encode(c cursor, orders []readmodel.Order) string {
	side, null := "a", "="
	if c.before {
		side = "b"
	}
	if c.isNull {
		null = "0"
	}
	var plain, encoded [256]byte // enough for most
	text := plain[:0]
	for _, part := range [...]string{m.cursorName(orders), separator, side, separator, c.id, separator, null, c.key} {
		text = append(text, part...)
	}
	return string(base64.RawURLEncoding.AppendEncode(encoded[:0], text))
}

// decode reads a cursor; one that is not of this order is a fault.Malformed.
func (m *mapping) decode(text string, orders []readmodel.Order) (c cursor, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	parts := strings.SplitN(string(raw), separator, 4)
	if err != nil || len(parts) != 4 || !utf8.Valid(raw) || !m.isSeekable(orders) || parts[0] != m.cursorName(orders) {
		return c, wrongCursor
	}
	c = cursor{before: parts[1] == "b", id: parts[2]}
	null, key := parts[3][:min(1, len(parts[3]))], parts[3][min(1, len(parts[3])):]
	c.isNull, c.key = null == "0", key
	kind := readmodel.ID
	if len(orders) == 2 {
		kind = m.kindOf(orders[0].Attribute)
	}
	isKey := c.isNull && key == "" || null == "=" && (isCell(kind, key) || len(orders) == 1 && key == "")
	if !isKey || !isCell(readmodel.ID, c.id) {
		return c, wrongCursor
	}
	return c, nil
}

var wrongCursor = fault.New(fault.Malformed, "cursor: does not match this list and sort; take it from the Link header of a page "+
	"of this list, or leave it out")

// isCell reports whether the database accepts the text as a value of the kind.
func isCell(kind readmodel.Kind, text string) bool {
	switch kind {
	case readmodel.ID, readmodel.Integer:
		_, err := strconv.ParseInt(text, 10, 64)
		return err == nil
	case readmodel.Bool:
		return text == "t" || text == "f"
	case readmodel.Money, readmodel.Percent, readmodel.Quantity:
		_, err := strconv.ParseFloat(text, 64)
		return err == nil && strings.Trim(text, "-.0123456789") == ""
	case readmodel.Day:
		_, err := time.Parse(time.DateOnly, text)
		return err == nil
	case readmodel.Time:
		return isTime(text)
	}
	return !strings.Contains(text, "\x00")
}

// isTime reports whether the text is a time as the database writes it, with or
// without the offset of its zone. Go accepts more than the database: a year 0, a
// comma before the fraction, an offset of a day.
func isTime(text string) bool {
	const farthest = 16 * 60 * 60
	for _, zone := range []string{"", "-07", "-07:00", "-07:00:00"} {
		const clock = "2006-01-02 15:04:05.999999"
		t, err := time.Parse(clock+zone, text)
		if err != nil || t.Format(clock+zone) != text {
			continue
		}
		_, offset := t.Zone()
		return t.Year() > 0 && -farthest < offset && offset < farthest
	}
	return false
}

// keyType returns the type of a cursor's key, which may be wider than the
// column's.
func keyType(kind readmodel.Kind) string {
	switch kind {
	case readmodel.ID, readmodel.Integer:
		return "::bigint"
	case readmodel.Money, readmodel.Percent, readmodel.Quantity:
		return "::numeric"
	}
	return ""
}
