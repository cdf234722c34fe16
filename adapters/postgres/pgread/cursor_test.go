package pgread

import (
	"encoding/base64"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/test/fuzzseed"
)

var sorted = []struct {
	mapping *mapping
	sort    string
}{
	{clients, "created_at"}, {clients, "-name"}, {clients, "-id"}, {invoices, "date"}, {invoices, "paid_on"}, {invoices, "total_price"}, {invoices, "total_count"}, {invoices, "paid"}, {invoiceItems, "count"}, {deals, "-user"},
}

// contract 4.86
func FuzzCursorIsAPlaceInItsListOrRejected(f *testing.F) {
	var cases [][]any
	for i, list := range sorted {
		for _, key := range []string{"2024-03-09 16:05:00.123456+00", "2024-03-09 16:05:00", "0000-01-01 00:00:00+00", "2024-03-09 16:05:00+23", "2024-03-09 16:05:00,5", "1", "-1.5000", "t", "Müller", "", "a\x00", "\x1f"} {
			cases = append(cases, []any{int64(i), string(raw(f, list.mapping, list.sort, "a", "7", "="+key))})
		}
		cases = append(cases, []any{int64(i), string(raw(f, list.mapping, list.sort, "b", "7", "0"))}, []any{int64(i), string(raw(f, list.mapping, list.sort, "b", "x", "="))})
	}
	fuzzseed.Add(f, cases...)
	f.Fuzz(func(t *testing.T, at int64, text string) {
		list := sorted[uint64(at)%uint64(len(sorted))]
		orders, err := query.SortBy(list.mapping.resource, list.sort)
		if err != nil {
			t.Fatal(err)
		}
		c, err := list.mapping.decode(base64.RawURLEncoding.EncodeToString([]byte(text)), orders)
		if err != nil {
			if !fault.Is(err, fault.Malformed) {
				t.Errorf("%q is rejected with %v", text, err)
			}
			return
		}
		if again, err := list.mapping.decode(list.mapping.encode(c, orders), orders); err != nil || again != c {
			t.Errorf("%q is %+v, and then %+v, %v", text, c, again, err)
		}
		if kind := list.mapping.attribute(orders[0].Attribute).Kind; !c.isNull && len(orders) == 2 && !isTaken(kind, c.key) || !isTaken(readmodel.ID, c.id) {
			t.Errorf("%q is %+v, which is no place", text, c)
		}
	})
}

// raw is a cursor before it is encoded, for a list that is sorted so.
func raw(t testing.TB, m *mapping, sort, side, id, key string) []byte {
	t.Helper()
	orders, err := query.SortBy(m.resource, sort)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.Join([]string{m.cursorName(orders), side, id, key}, separator))
}

// isTaken reports whether PostgreSQL accepts the text, as its documentation has it.
func isTaken(kind readmodel.Kind, text string) bool {
	switch kind {
	case readmodel.ID, readmodel.Integer:
		n, ok := new(big.Int).SetString(text, 10)
		return ok && n.IsInt64()
	case readmodel.Bool:
		return text == "t" || text == "f"
	case readmodel.Money, readmodel.Percent, readmodel.Quantity:
		_, ok := new(big.Rat).SetString(text)
		return ok && !strings.ContainsAny(text, "/_eExXpP")
	case readmodel.Time:
		if strings.Contains(text, ",") || strings.HasPrefix(text, "0000") {
			return false
		}
		for _, zone := range []string{"", "Z07", "Z07:00", "Z07:00:00"} {
			if t, err := time.Parse(time.DateTime+zone, text); err == nil {
				_, offset := t.Zone()
				return max(offset, -offset) < int((16 * time.Hour).Seconds())
			}
		}
		return false
	}
	return !strings.Contains(text, "\x00")
}
