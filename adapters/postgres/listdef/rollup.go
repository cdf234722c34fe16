package listdef

// ClientCounts is the table with the number of records of each client, in a column for each list that has
// a ClientCount. The row of the client 0 counts all records.
const ClientCounts = "client_counts"

// RecordCount is the column of a rollup that counts records.
const RecordCount = "record_count"

// Rollup is a table with the number of records and the sum of each measure for each
// combination of its keys. A missing row means zeros.
type Rollup struct {
	Table string
	Keys  []Key // of the primary key, in its order
	// MaxKeys is the maximum number of keys with Any that sums combine; 0 means all.
	MaxKeys int
}

// Key is a key column of a rollup, and a column of the change table.
type Key struct {
	Name string
	Null string // the value for null; "" if it is never null
	Any  bool   // there are also sums over all its values, in rows in which it is 0
}

// Total describes where totals of a list are read: rows of a table, plus the change
// rows of batches that are not folded into it yet.
type Total struct {
	Table   string // as t
	Value   string // the column that is summed
	Keys    []Key
	MaxKeys int    // how many of the keys with Any are not 0 at most; 0 if there is no limit
	Changes string // the change table, as t
	Delta   string // what a row t of it adds
}

// Totals returns where totals of the list are read; the first one has the total of all its records.
func (l *List) Totals() (all []Total) {
	if l.Parent != nil {
		total := l.Parent.Totals()[0]
		total.Value, total.Delta = l.PartCount, "t.delta * t."+l.PartCount
		return []Total{total}
	}
	if r := l.Rollup; r != nil {
		all = append(all, Total{Table: r.Table, Value: RecordCount, Keys: r.Keys, MaxKeys: r.MaxKeys, Changes: l.Changes, Delta: "t.delta"})
	}
	if l.ClientCount != "" {
		all = append(all, Total{
			Table: ClientCounts, Value: l.ClientCount, Keys: []Key{{Name: "client_id", Any: true}}, Changes: l.Changes, Delta: "t.delta",
		})
	}
	return all
}

// Values returns the columns of the rollup that are summed.
func (l *List) Values() []string { return append([]string{RecordCount}, l.Measures...) }

// CountedByClient returns the lists that have a ClientCount.
func CountedByClient() (lists []*List) {
	for _, l := range All {
		if l.ClientCount != "" {
			lists = append(lists, l)
		}
	}
	return lists
}
