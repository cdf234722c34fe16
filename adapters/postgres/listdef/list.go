package listdef

// A List declares the read models of one listed resource.
type List struct {
	// Table holds the records. It is also the name of the list in page_index.
	Table string
	// CreatedAt is the column with the time of creation, which with the id is the
	// default order. It is "" if the default order is that of the ids alone.
	CreatedAt string
	// SearchKey is the column with the key of the text that is searched.
	SearchKey string
	// Search is the table that repeats the ids and search keys.
	Search string
	// Changes is the change table: rows with delta -1 say what a record was, those
	// with delta 1 what it is.
	Changes string
	// Columns are those of the change table that not every change table has.
	Columns []Column
	// Join is joined to a record r where the SQL of a column needs it.
	Join string
	// Measures are what the rollup sums of each record, beside counting it.
	Measures []Measure
	// Rollup is the table of totals. Without one, the totals are those of the page
	// index.
	Rollup *Rollup
	// ClientCount is the column of ClientCounts that counts the records of a client;
	// "" if there is none. A list that has it has a column client_id.
	ClientCount string
	// Parent is the list whose changes include those of this list: Part says how. Nil
	// if the records have changes, a rollup and a search table of their own.
	Parent *List
	Part   Part
}

// A Part is how the changes of a list include those of another.
type Part struct {
	IDs   string // the array column of the parent's changes
	Count string // the parent's measure that is the number of these records
}

// A Column is a column of a change table.
type Column struct {
	Name     string
	Type     string // in the words of the catalogue
	Nullable bool
	// Param is the type of the parameter that Value is computed from; "" if it is Type.
	Param string
	// Value computes the stored value from the parameter, for which it has a %s; "" if
	// it is the parameter.
	Value string
	// Record is the same value of a record r; "" if it is the column of that name.
	Record string
}

// A Measure is a number of each record that a rollup sums.
type Measure struct {
	Name   string // the column of the rollup
	Change string // its value in a row t of the change table
	Record string // its value in a record r
}

// All are the lists whose records have changes and a search table of their own.
var All = []*List{Clients, Deals, Offers, Contracts, Invoices}

// Indexed are the lists that have a page index: All, and those that are part of one.
var Indexed = append(append([]*List{}, All...), InvoiceLines)

// NoTime is the created_at of all rows of a list that is ordered by id alone.
const NoTime = "'-infinity'::timestamptz"

// AllColumns returns the columns of the change table that say what the record is: those
// that every change table has, and Columns.
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

// ChangeValue returns the column or measure of that name for a row t of the change
// table.
func (l *List) ChangeValue(name string) string {
	for _, m := range l.Measures {
		if m.Name == name {
			return m.Change
		}
	}
	return "t." + name
}

// RecordValue returns the column or measure of that name for a record r, with Join.
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

// Places is what places changes in the page index: a table, or a subselect, with
// batch_id, delta, created_at and id.
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

// ConnectionZone is the time zone of the connection.
const ConnectionZone = "current_setting('timezone')"

// Month returns the number of the month, counted from January of the year 0, that an
// instant falls into in the zone of the connection; null of null.
func Month(instant string) string { return MonthIn(instant, ConnectionZone) }

// MonthIn is Month in the zone that is the value of the expression.
func MonthIn(instant, zone string) string {
	local := "(" + instant + " at time zone " + zone + ")"
	return "(extract(year from " + local + ") * 12 + extract(month from " + local + ") - 1)::integer"
}

func number(name, kind string) Column { return Column{Name: name, Type: kind} }

func nullableNumber(name, kind string) Column {
	return Column{Name: name, Type: kind, Nullable: true}
}

// SearchIndex returns the trigram index of the search table.
func (l *List) SearchIndex() string { return l.Search + "_by_text" }
