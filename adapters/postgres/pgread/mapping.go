package pgread

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// mapping maps a resource to SQL: where its rows come from, and the expression of
// each path of its table.
type mapping struct {
	resource *readmodel.Resource
	// table is the table of the rows, whose alias is always r.
	table string
	// columns are the expressions by path.
	columns map[string]string
	// summed are, by path, the expressions over read models that replace a column
	// where the read models are asked.
	summed map[string]string
	// joins are the joins by the part of a path before the dot, and for summed
	// expressions by path.
	joins map[string]string
	// keys are the expressions to sort by where they are not the column's.
	keys map[string]string
	// long are the attributes whose texts may be too long for an index, and for
	// a cursor.
	long []string
	// nested are the lists of records inside a record, by path.
	nested map[string]nested
	// list declares the read models; nil if there are none.
	list *listdef.List

	// What newReader derives from the declaration:
	total     listdef.Total
	createdAt string // the attribute of the default order, which the page index has
}

// nested is how the records inside a record are read: an aggregate over a table.
type nested struct {
	from    string // the tables, and how they belong to the row r
	order   string
	columns map[string]string
}

// rowColumn is a column of the row r. It is null in the one row of an empty list, which has only
// a total.
var rowColumn = regexp.MustCompile(`^r\.[a-z_]+$`)

// resolve derives what the declaration says. A path of the resource without SQL, and a version
// that an empty list could have, are programming errors.
func (m *mapping) resolve() {
	for _, path := range append(m.resource.Paths(), "version") {
		if _, ok := m.columns[path]; !ok && m.nested[path].from == "" {
			panic(fmt.Sprintf("the attribute %s of %s has no SQL", path, m.resource.Name))
		}
	}
	if !rowColumn.MatchString(m.columns["version"]) {
		panic(fmt.Sprintf("the version of %s is %q, which is no column of the row: an empty list would look like one record", m.resource.Name, m.columns["version"]))
	}
	if m.list == nil {
		return
	}
	m.total = m.list.Total()
	if m.createdAt = m.list.CreatedAt; m.createdAt == "" {
		m.createdAt = "id"
	}
}

func (m *mapping) expressions(s *readmodel.Selection, from source) []string {
	exprs := make([]string, len(s.Paths))
	for i, path := range s.Paths {
		exprs[i] = m.columns[path]
		if l, ok := m.nested[path]; ok {
			exprs[i] = l.expression(s.Lists[i])
		}
		if summed, ok := m.summed[path]; ok && from == readModels {
			exprs[i] = summed
		}
	}
	return exprs
}

// hasSums reports whether the selection has paths that read models are asked for.
func (m *mapping) hasSums(s *readmodel.Selection) bool {
	return slices.ContainsFunc(s.Paths, func(path string) bool { return m.summed[path] != "" })
}

// joined returns the joins that the selection's paths need, each once.
func (m *mapping) joined(s *readmodel.Selection, from source) []any {
	var joins []any
	seen := map[string]bool{}
	for _, path := range s.Paths {
		table, _, isDotted := strings.Cut(path, ".")
		if m.summed[path] != "" {
			isDotted = from == readModels
		}
		if join := m.joins[table]; isDotted && join != "" && !seen[join] {
			seen[join] = true
			joins = append(joins, join)
		}
	}
	return joins
}

func (m *mapping) kindOf(attribute string) readmodel.Kind {
	return m.attribute(attribute).Kind
}

// attribute returns the attribute that lists are sorted by under that name.
func (m *mapping) attribute(name string) *readmodel.Attribute {
	i := slices.IndexFunc(m.resource.Attributes, func(a readmodel.Attribute) bool { return a.Name == name && a.Sort != readmodel.Unsorted })
	return &m.resource.Attributes[i]
}

// expression aggregates the nested records as a JSON array of arrays of texts.
func (n nested) expression(s *readmodel.Selection) string {
	exprs := make([]string, len(s.Paths))
	for i, path := range s.Paths {
		exprs[i] = "(" + n.columns[path] + ")::text"
	}
	return "(select json_agg(json_build_array(" + strings.Join(exprs, ", ") + ") order by " + n.order + ") from " + n.from + ")"
}

// appendRow adds the cells of the selection as a row.
func appendRow(rows *readmodel.Rows, s *readmodel.Selection, cells [][]byte) error {
	for i, cell := range cells {
		inner, ok := s.Lists[i]
		if !ok {
			rows.Append(cell)
			continue
		}
		list, err := nestedRows(inner, cell)
		if err != nil {
			return err
		}
		rows.AppendList(list)
	}
	return nil
}

func nestedRows(s *readmodel.Selection, cell []byte) (*readmodel.Rows, error) {
	var records [][]*string
	if cell != nil {
		if err := json.Unmarshal(cell, &records); err != nil {
			return nil, fmt.Errorf("read nested records: %w", err)
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
