package listdef

import "slices"

// List declares the read models of one listed resource.
type List struct {
	Table string // of the records
	// CreatedAt is the column of the default order; "" means that this is by the id.
	CreatedAt string
	// TextKey is the column of Table with the key of the searched text.
	TextKey string
	// Search is the search table: the id, the time of creation and the search key of each record.
	Search string
	// Changes is the change table. Rows with delta -1 have the former values of a
	// record, rows with delta 1 the new ones.
	Changes string
	// Columns are what records are counted by, in the order of the change table.
	Columns []Column
	// Join is the SQL of a join with a record r that the SQL of a column needs; "" if
	// none does.
	Join string
	// Measures are the columns that the rollup sums, in addition to counting records.
	Measures []string
	// Rollup is the table of totals; nil means that the one total is in ClientCounts.
	Rollup *Rollup
	// ClientCount is the column of ClientCounts that counts the records of a client; ""
	// if there is none. It requires a column client_id.
	ClientCount string
	// Parent is the list whose measure PartCount is the number of records of this list;
	// nil if the list has read models of its own.
	Parent    *List
	PartCount string
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

// All are the lists with change and search tables of their own.
var All = []*List{Clients, Deals, Offers, Contracts, Invoices}

// RecordValue returns the SQL of the column of that name for a record r, with Join.
func (l *List) RecordValue(name string) string {
	if i := slices.IndexFunc(l.Columns, func(c Column) bool { return c.Name == name }); i >= 0 && l.Columns[i].Record != "" {
		return l.Columns[i].Record
	}
	return "r." + name
}

// Has reports whether the change table has a column of that name.
func (l *List) Has(column string) bool {
	return slices.ContainsFunc(l.Columns, func(c Column) bool { return c.Name == column })
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

// SearchKey returns the SQL of the search key of a text, from its key: as textkey.Search computes it.
func SearchKey(key string) string {
	return "normalize(regexp_replace(normalize(" + key + ", nfd), " +
		`'([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+|(\u0435)\u0308', '\1\2', 'g'), nfc)`
}

func number(name, kind string) Column { return Column{Name: name, Type: kind} }

func nullableNumber(name, kind string) Column {
	return Column{Name: name, Type: kind, Nullable: true}
}
