package listdef

// Names of the tables that all lists share.
const (
	ClientCounts = "client_counts" // by client_id, for each list that has a ClientCount
	PageIndex    = "page_index"    // by list, created_at and id
)

// RecordCount is the column that counts records, in rollups and in the page index.
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

// Total describes where the total of a list is read: rows of a table, plus the change
// rows of batches that are not folded into it yet.
type Total struct {
	Table   string   // as t
	Value   string   // the column that is summed
	Where   string   // the condition on rows t that are of this list; "" if all are
	AnyKeys []string // the columns in which 0 means all values
	MaxKeys int      // how many of these are not 0 at most; 0 if there is no limit
	Changes string   // the change table, as t
	Delta   string   // what a row t of it adds
}

// Total returns where the total of the list is read.
func (l *List) Total() Total {
	if l.Parent != nil {
		t := l.Parent.Total()
		t.Value = l.Part.Count
		t.Delta = "t.delta * " + l.Parent.ChangeValue(l.Part.Count)
		return t
	}
	t := Total{Value: RecordCount, Changes: l.Changes, Delta: "t.delta"}
	if l.Rollup == nil {
		t.Table, t.Where = PageIndex, "t.list = '"+l.Table+"'"
		return t
	}
	t.Table, t.MaxKeys = l.Rollup.Table, l.Rollup.MaxKeys
	for _, k := range l.Rollup.Keys {
		if k.Any {
			t.AnyKeys = append(t.AnyKeys, k.Name)
		}
	}
	return t
}

// Values returns the columns of the rollup that are summed.
func (l *List) Values() []string {
	values := []string{RecordCount}
	for _, m := range l.Measures {
		values = append(values, m.Name)
	}
	return values
}

// CountedByClient returns the lists that have a ClientCount.
func CountedByClient() (lists []*List) {
	for _, l := range All {
		if l.ClientCount != "" {
			lists = append(lists, l)
		}
	}
	return lists
}
