package listdef

// List declares the read models of one listed resource.
type List struct {
	// Table holds the records. It is also the name of the list in page_index.
	Table string
	// CreatedAt is the column with the time of creation; the default order is by it and
	// the id. "" means that the default order is by id only.
	CreatedAt string
	// SearchKey is the column of Table with the key of the searched text.
	SearchKey string
	// Search is the search table, which repeats ids and search keys.
	Search string
	// Changes is the change table. Rows with delta -1 have the former values of a
	// record, rows with delta 1 the new ones.
	Changes string
	// Columns are the columns that only this change table has.
	Columns []Column
	// Join is the SQL of a join with a record r that the SQL of a column needs; "" if
	// none does.
	Join string
	// Measures are the numbers of a record that the rollup sums, in addition to
	// counting records.
	Measures []Measure
	// Rollup is the table of totals; nil means that totals come from the page index.
	Rollup *Rollup
	// ClientCount is the column of ClientCounts that counts the records of a client; ""
	// if there is none. It requires a column client_id.
	ClientCount string
	// Parent is the list whose changes include those of this list, as described by
	// Part; nil if the list has its own change, rollup and search tables.
	Parent *List
	Part   Part
}

// Part describes how the change rows of a list include those of another one.
type Part struct {
	IDs   string // the array column of the parent's changes
	Count string // the parent's measure that is the number of these records
}

// Column is a column of a change table.
type Column struct {
	Name     string
	Type     string // in the words of the catalogue
	Nullable bool
	// Param is the SQL type of the parameter of Value; "" means Type.
	Param string
	// Value is the SQL of the stored value, with %s for the parameter; "" means the
	// parameter itself.
	Value string
	// Record is the SQL of the same value of a record r; "" means the column of the
	// same name.
	Record string
}

// Measure is a number of each record that a rollup sums.
type Measure struct {
	Name   string // the column of the rollup
	Change string // its value in a row t of the change table
	Record string // its value in a record r
}

// All are the lists with change and search tables of their own.
var All = []*List{Clients, Deals, Offers, Contracts, Invoices}

// Indexed are the lists with a page index: All, and those with a Parent.
var Indexed = append(append([]*List{}, All...), InvoiceLines)

// NoTime is the created_at in the page index of a list whose default order is by id
// only.
const NoTime = "'-infinity'::timestamptz"

// AllColumns returns the columns of the change table with values of the record: the
// ones that every change table has, and Columns.
func (l *List) AllColumns() []Column {
	createdAt := NoTime
	if l.CreatedAt != "" {
		createdAt = "r." + l.CreatedAt
	}
	return append([]Column{
		{Name: "id", Type: "bigint"},
		{Name: "created_at", Type: "timestamp with time zone", Record: createdAt},
		{Name: "text_key", Type: "text", Record: "r." + l.SearchKey},
	}, l.Columns...)
}

// ChangeValue returns the SQL of the column or measure of that name in a row t of the
// change table.
func (l *List) ChangeValue(name string) string {
	for _, m := range l.Measures {
		if m.Name == name {
			return m.Change
		}
	}
	return "t." + name
}

// RecordValue returns the SQL of the column or measure of that name for a record r,
// with Join.
func (l *List) RecordValue(name string) string {
	for _, m := range l.Measures {
		if m.Name == name {
			return m.Record
		}
	}
	for _, c := range l.AllColumns() {
		if c.Name == name && c.Record != "" {
			return c.Record
		}
	}
	return "r." + name
}

// Places returns the SQL of the change rows for the page index: a table or a subselect
// with the columns batch_id, delta, created_at and id.
func (l *List) Places() string {
	if l.Parent == nil {
		return l.Changes
	}
	return `(
    select t.batch_id, t.delta, ` + NoTime + ` as created_at, l.id
    from ` + l.Parent.Changes + ` t
    cross join lateral unnest(t.` + l.Part.IDs + `) l (id)
)`
}

// ConnectionZone is the SQL of the connection's time zone.
const ConnectionZone = "current_setting('timezone')"

// Month returns the SQL of the month of an instant in the connection's time zone, as a
// number counted from January of the year 0; null for null.
func Month(instant string) string { return MonthIn(instant, ConnectionZone) }

// MonthIn is like Month; zone is the SQL of the time zone.
func MonthIn(instant, zone string) string {
	local := "(" + instant + " at time zone " + zone + ")"
	return "(extract(year from " + local + ") * 12 + extract(month from " + local + ") - 1)::integer"
}

func number(name, kind string) Column { return Column{Name: name, Type: kind} }

func nullableNumber(name, kind string) Column {
	return Column{Name: name, Type: kind, Nullable: true}
}

// SearchIndex returns the name of the trigram index of the search table.
func (l *List) SearchIndex() string { return l.Search + "_by_text" }
