package pgread

import (
	"regexp"
	"strconv"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// A Described statement is one that a reader runs.
type Described struct {
	Plan       string
	SQL        string   // with parameters by name
	Parameters []string // $1, $2, ... by name
	Unset      []string // those without a value
}

// Situation is what a reader knows when it chooses a plan.
type Situation struct {
	NotReady bool // the read models cannot be read
	// What is cached of the matches of a search.
	Matches, ListSize int64
	IDs               string
	// Beside is "after" or "before" for a page beside a cursor, after null or before
	// null for one that has no sort key.
	Beside string
}

// DescribePage describes the statement of the page.
func DescribePage[F any](list readmodel.Reader[F], q readmodel.Query[F], s Situation) (d Described, err error) {
	r := list.(*reader[F])
	if s.Beside != "" {
		q.Page.Cursor = r.mapping.encode(sampleCursor(r.mapping, q.Sort, s.Beside), q.Sort)
	}
	from := readModels
	if s.NotReady {
		from = records
	}
	l, err := r.listing(q, from)
	if err != nil {
		return d, err
	}
	if l.request.isSearch() {
		l.request.matches = matches{token: "0d6e0a3a-9d9a-4a6b-8a53-6f3f1d8b5c11", count: s.Matches, size: s.ListSize, ids: idArray(s.IDs)}
		l.request.matches.into(l.values)
	}
	stmt, err := r.pageStatement(&l)
	if err != nil {
		return d, err
	}
	plan := l.key.plan
	return r.describe(stmt, l.request.position.String()+"; rows: "+plan.path.String()+"; total: "+plan.total.String(), l.values), nil
}

// DescribeCount describes the statement that counts the matches of a search.
func DescribeCount[F any](list readmodel.Reader[F], q readmodel.Query[F]) (d Described, err error) {
	r := list.(*reader[F])
	l, err := r.listing(q, readModels)
	if err != nil {
		return d, err
	}
	stmt, err := r.countStatement(&l)
	if err != nil {
		return d, err
	}
	return r.describe(stmt, "count the matches, to be cached", l.values), nil
}

// DescribeRecord describes the statement of one record.
func DescribeRecord[F any](list readmodel.Reader[F], s *readmodel.Selection) (d Described, err error) {
	r := list.(*reader[F])
	from := records
	if r.mapping.hasSums(s) {
		from = readModels
	}
	stmt, err := r.one.statement(s, from, typedCells)
	if err != nil {
		return d, err
	}
	values := make(params, len(r.names))
	values[paramID] = int64(7)
	return r.describe(stmt, "one record by its id", values), nil
}

var placeholder = regexp.MustCompile(`\$(\d+)`)

func (r *reader[F]) describe(stmt *statement, plan string, values params) Described {
	d := Described{Plan: plan}
	for _, at := range stmt.args {
		d.Parameters = append(d.Parameters, r.names[at])
		if values[at] == nil {
			d.Unset = append(d.Unset, r.names[at])
		}
	}
	d.SQL = placeholder.ReplaceAllStringFunc(stmt.sql, func(text string) string {
		n, _ := strconv.Atoi(text[1:])
		return ":" + d.Parameters[n-1]
	})
	return d
}

func sampleCursor(m *mapping, orders []readmodel.Order, beside string) cursor {
	c := cursor{id: "7", before: beside == "before" || beside == "before null"}
	if c.isNull = beside == "after null" || beside == "before null"; c.isNull || len(orders) == 1 {
		return c
	}
	switch m.kindOf(orders[0].Attribute) {
	case readmodel.Text:
		c.key = "text"
	case readmodel.Bool:
		c.key = "t"
	case readmodel.Time:
		c.key = "2024-03-09 16:05:00"
	default:
		c.key = "17"
	}
	return c
}

// Waiting is how many searches want the counts that run.
func Waiting[F any](list readmodel.Reader[F]) (n int) {
	s := &list.(*reader[F]).flights
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.running {
		n += f.wanted
	}
	return n
}
