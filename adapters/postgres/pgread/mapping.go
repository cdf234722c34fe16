package pgread

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// mapping maps a resource to SQL: where its rows come from, and the expression of
// each path of its attributes. Unless it says otherwise, that is the column of its name, for a part of a whole object its value in the
// JSON of that, and a text that
// lists can be sorted by has its key in a column beside it.
type mapping struct {
	resource *readmodel.Resource
	// table is the table of the rows, whose alias is always r.
	table string
	// idColumn is the column with the id that a record is read by, unless it is id.
	idColumn string
	// columns are the expressions by path.
	columns map[string]string
	// joins are the joins that paths need: by the part of a path up to the dot, and by whole
	// paths without one.
	joins map[string]join
	// keys are the expressions to sort by where they are not the column's.
	keys map[string]string
	// indexed are the attributes with an index to sort by, besides the id and the default order.
	indexed []string
	// long are the attributes whose texts may be too long for an index, and for
	// a cursor.
	long []string
	// counted are the attributes whose values are counted in another table.
	counted []string
	// nested are the lists of records inside a record, by path.
	nested map[string]nested
	// list declares the read models; nil if there are none.
	list *listdef.List
	// isLong means that the list may be long although it has no read models: its totals are counted.
	isLong bool
}

// join is a join with a table, and the alias of the columns of an object.
type join struct{ alias, sql string }

// nested is how the records inside a record are read: an aggregate over a table.
type nested struct {
	from    string // the tables, and how they belong to the row r
	alias   string // of the table with the columns
	order   string
	columns map[string]string
	nested  map[string]nested
}

// mappings are all mappings by their resources.
var mappings = map[*readmodel.Resource]*mapping{}

// mapped completes a mapping by what follows from the names of the attributes. An object without a table is a
// programming error.
func mapped(m mapping) *mapping {
	columns, keys := map[string]string{"version": "r.version"}, map[string]string{}
	for _, path := range m.resource.Paths() {
		columns[path] = "r." + path
		if object, name, isPart := strings.Cut(path, "."); isPart {
			alias, isWhole := m.joins[object+"."].alias, m.resource.IsWhole(object)
			if alias == "" && m.columns[path] == "" && !isWhole {
				panic(fmt.Sprintf("the attribute %s of %s has no SQL", path, m.resource.Name))
			}
			if columns[path] = alias + "." + name; isWhole {
				columns[path] = "r." + object + " ->> '" + name + "'"
			}
		}
	}
	maps.Copy(columns, m.columns)
	for _, a := range m.resource.Attributes {
		if a.Kind == readmodel.List {
			m.nested[a.Name] = m.nested[a.Name].mapped(a.Of)
		}
		for _, part := range a.Of {
			if path := a.Name + "." + part.Name; a.IsWhole && part.Kind == readmodel.List {
				m.nested[path] = m.nested[path].mapped(part.Of)
			}
		}
		if a.Kind == readmodel.Text && a.Sort != readmodel.Unsorted {
			keys[a.Name] = columns[a.Name] + "_key"
		}
	}
	maps.Copy(keys, m.keys)
	m.columns, m.keys = columns, keys
	mappings[m.resource] = &m
	return &m
}

func (n nested) mapped(attributes []readmodel.Attribute) nested {
	columns := map[string]string{}
	for _, a := range attributes {
		columns[a.Name] = n.alias + "." + a.Name
		if a.Kind == readmodel.List {
			n.nested[a.Name] = n.nested[a.Name].mapped(a.Of)
		}
	}
	maps.Copy(columns, n.columns)
	n.columns = columns
	return n
}

func (m *mapping) expressions(s *readmodel.Selection) []string {
	exprs := make([]string, len(s.Paths))
	for i, path := range s.Paths {
		exprs[i] = m.columns[path]
		if l, ok := m.nested[path]; ok {
			exprs[i] = l.expression(s.Lists[i])
		}
	}
	return exprs
}

// joined returns the joins that the selection's paths need, each once.
func (m *mapping) joined(s *readmodel.Selection) string {
	var joins strings.Builder
	var seen []string
	for _, path := range s.Paths {
		join := m.joins[path[:strings.Index(path, ".")+1]].sql
		if !strings.Contains(path, ".") {
			join = m.joins[path].sql
		}
		if join != "" && !slices.Contains(seen, join) {
			seen = append(seen, join)
			joins.WriteString(" " + join)
		}
	}
	return joins.String()
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
		if inner, ok := n.nested[path]; ok {
			exprs[i] = inner.expression(s.Lists[i]) + "::text"
		}
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
		for i, cell := range record {
			inner, isList := s.Lists[i]
			switch {
			case isList && cell != nil:
				list, err := nestedRows(inner, []byte(*cell))
				if err != nil {
					return nil, err
				}
				rows.AppendList(list)
			case isList:
				rows.AppendList(readmodel.NewRows(len(inner.Paths)))
			case cell != nil:
				rows.Append([]byte(*cell))
			default:
				rows.Append(nil)
			}
		}
	}
	return rows, nil
}
