package pgread

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// source is what a statement is made of.
type source int

const (
	models  source = iota // the read models, where there are some
	records               // the records alone
)

// model is how a resource is read: where its rows come from, and the SQL of
// each path of its table.
type model struct {
	resource *readmodel.Resource
	// table is the table of the rows, whose alias is always r.
	table string
	// columns are the expressions by path.
	columns map[string]string
	// tallied are, by path, the expressions over read models that take the
	// place of a column where those can be read.
	tallied map[string]string
	// joins are the tables that the paths before a dot come from, and those
	// that tallied expressions need, by path.
	joins map[string]string
	// keys are the expressions to sort by where they are not the column's.
	keys map[string]string
	// long are the attributes whose texts may be too long for an index, and for
	// a cursor.
	long []string
	// lists are the records inside a record, by path.
	lists map[string]list
	// total is how the read models know how many rows there are; nil if they do
	// not.
	total *total
	// created is the column of the default order of a list that can be cut into
	// pieces at milestones; "" if it cannot.
	created string
}

// list is how the records inside a record are read: an aggregate over a table.
type list struct {
	from    string // the tables, and how they belong to the row r
	order   string
	columns map[string]string
}

func (m *model) check() {
	for _, path := range append(m.resource.Paths(), "version") {
		if _, ok := m.columns[path]; !ok && m.lists[path].from == "" {
			panic(fmt.Sprintf("the attribute %s of %s has no SQL", path, m.resource.Name))
		}
	}
}

// expressions are the selection's columns.
func (m *model) expressions(s *readmodel.Selection, from source) []string {
	exprs := make([]string, len(s.Paths))
	for i, path := range s.Paths {
		exprs[i] = m.columns[path]
		if l, ok := m.lists[path]; ok {
			exprs[i] = l.expression(s.Lists[i])
		}
		if tallied, ok := m.tallied[path]; ok && from == models {
			exprs[i] = tallied
		}
	}
	return exprs
}

// usesTallies tells whether the selection has paths for which read models are
// asked.
func (m *model) usesTallies(s *readmodel.Selection) bool {
	return slices.ContainsFunc(s.Paths, func(path string) bool { return m.tallied[path] != "" })
}

// joined are the joins that the selection's paths need, each once.
func (m *model) joined(s *readmodel.Selection, from source) []any {
	var joins []any
	seen := map[string]bool{}
	for _, path := range s.Paths {
		table, _, dotted := strings.Cut(path, ".")
		if m.tallied[path] != "" {
			dotted = from == models
		}
		if join := m.joins[table]; dotted && join != "" && !seen[join] {
			seen[join] = true
			joins = append(joins, join)
		}
	}
	return joins
}

// sortKey is the expression that the attribute is sorted by.
func (m *model) sortKey(attribute string) string {
	if key, ok := m.keys[attribute]; ok {
		return key
	}
	return m.columns[attribute]
}

// direction is that of an order.
type direction string

const (
	ascending  direction = ""
	descending direction = " desc"
)

func directionOf(o readmodel.Order) direction {
	if o.Descending {
		return descending
	}
	return ascending
}

func (d direction) reversed() direction {
	if d == descending {
		return ascending
	}
	return descending
}

// beyond is the sign of what comes later in the direction.
func (d direction) beyond() string {
	if d == descending {
		return "<"
	}
	return ">"
}

// end is from which end of a list rows are read.
type end int

const (
	front end = iota
	back
)

// of is the direction in which the order is read from the end.
func (e end) of(o readmodel.Order) direction {
	if e == back {
		return directionOf(o).reversed()
	}
	return directionOf(o)
}

// orderBy is the order in which the list is read from the end.
func (m *model) orderBy(orders []readmodel.Order, from end) []string {
	exprs := make([]string, len(orders))
	for i, o := range orders {
		exprs[i] = m.sortKey(o.Attribute) + string(from.of(o))
	}
	return exprs
}

// byCreation tells whether the order is that of creation, in which a list has
// milestones.
func (m *model) byCreation(orders []readmodel.Order) bool {
	return m.created != "" && m.steps(orders) && orders[0].Attribute == m.created
}

// expression gathers the inner rows as a JSON array of arrays of texts.
func (l list) expression(inner *readmodel.Selection) string {
	exprs := make([]string, len(inner.Paths))
	for i, path := range inner.Paths {
		exprs[i] = "(" + l.columns[path] + ")::text"
	}
	return "(select json_agg(json_build_array(" + strings.Join(exprs, ", ") + ") order by " + l.order + ") from " + l.from + ")"
}

func appendRow(rows *readmodel.Rows, s *readmodel.Selection, cells [][]byte) error {
	for i, cell := range cells {
		inner, ok := s.Lists[i]
		if !ok {
			rows.Append(cell)
			continue
		}
		list, err := innerRows(inner, cell)
		if err != nil {
			return err
		}
		rows.AppendList(list)
	}
	return nil
}

func innerRows(s *readmodel.Selection, cell []byte) (*readmodel.Rows, error) {
	var records [][]*string
	if cell != nil {
		if err := json.Unmarshal(cell, &records); err != nil {
			return nil, fmt.Errorf("read the inner rows: %w", err)
		}
	}
	rows := readmodel.NewRows(len(s.Paths))
	rows.Total = int64(len(records))
	for _, record := range records {
		for _, text := range record {
			if text == nil {
				rows.Append(nil)
				continue
			}
			rows.Append([]byte(*text))
		}
	}
	return rows, nil
}
