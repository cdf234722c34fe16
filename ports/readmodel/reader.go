package readmodel

import (
	"context"
	"sync"

	"github.com/kontor-crm/kontor/domain/fault"
)

// Page selects a page of a list. The zero value selects the whole list.
type Page struct {
	Number int64 // from 1
	Size   int   // 1 to MaxPerPage; 0: all rows
	// Cursor is "", or Rows.Next or Rows.Prev of the same list in the same order. It then
	// decides which page is read, and Number is only reported.
	Cursor string
}

// MaxPerPage is the maximum page size.
const MaxPerPage = 500

// MaxBytes is the limit for the cells of one result.
const MaxBytes = 16 << 20

// ErrTooLarge is the error of a result with more than MaxBytes.
var ErrTooLarge = fault.New(fault.Malformed, "the response would be larger than %d MiB", MaxBytes>>20)

// Count returns the number of pages of a list with total rows.
func (p Page) Count(total int64) int64 {
	if p.Size == 0 {
		return 1
	}
	return (total + int64(p.Size) - 1) / int64(p.Size)
}

// Order is one sort key.
type Order struct {
	Attribute  string
	Descending bool
}

// Query selects a page of a list.
type Query[F any] struct {
	Filter F
	Select *Selection
	Sort   []Order
	Page   Page
}

// Reader reads the records of one resource.
type Reader[F any] interface {
	// List returns the rows of the page in the order of the sort, and the exact number of
	// rows that match the filter, from one snapshot. A page after the last has no rows,
	// but the exact total. A cursor that is invalid, or of another list or order, is a
	// fault.Malformed.
	List(ctx context.Context, q Query[F]) (*Rows, error)
	// Export opens the whole list, whatever the page of the query.
	Export(ctx context.Context, q Query[F]) (Export, error)
	// Read returns the record with the id as exactly one row, or a fault.NotFound.
	Read(ctx context.Context, id int64, s *Selection) (*Rows, error)
}

// Export is a whole list that is read in batches of bounded size, all from one snapshot.
type Export interface {
	// Next returns the next rows in the order of the sort, and nil at the end. Their total is not known.
	Next(ctx context.Context) (*Rows, error)
	// Close must be called once.
	Close(ctx context.Context)
}

// View reads single records in a unit of work. Its own changes, and what is derived from
// them, are visible.
type View interface {
	// Read returns the record of the resource as exactly one row, or a fault.NotFound.
	Read(ctx context.Context, resource *Resource, id int64, s *Selection) (*Rows, error)
}

// Records that a dry run creates have placeholder ids, from FirstPlaceholder to EndPlaceholder, which no stored record has.
// Responses show them as null.
const (
	FirstPlaceholder = 9_000_000_000_000_000_000
	EndPlaceholder   = 9_200_000_000_000_000_000
)

// IsPlaceholder reports whether the cell of an ID is a placeholder.
func IsPlaceholder(id []byte) bool {
	return len(id) == len("9000000000000000000") && id[0] == '9' && id[1] < '2'
}

// Rows are the rows of a result, with a cell for each path of the selection. They are not
// safe for concurrent use.
type Rows struct {
	Total int64 // rows on all pages
	// Next and Prev are the cursors of the next and the previous page, for Page.Cursor;
	// "" if there are no rows, the list has no pages, or its order has no cursors. The
	// page of a cursor may be empty.
	Next, Prev string

	width int
	text  []byte
	ends  []int // where each cell's text ends; the complement if it is null
	lists map[int]*Rows
}

// pool holds released rows, whose buffers are most of the memory of a list.
var pool = sync.Pool{New: func() any { return new(Rows) }}

// maxPooled is the capacity, in bytes and in cells, up to which rows are reused.
const maxPooled = 1 << 16

// NewRows returns rows without any row; width is the number of cells in a row.
func NewRows(width int) *Rows {
	r := pool.Get().(*Rows)
	*r = Rows{width: width, text: r.text[:0], ends: r.ends[:0]}
	return r
}

// Release makes the memory of the rows available for reuse. Afterwards neither the rows
// nor the text of a cell may be used. Calling it is optional.
func (r *Rows) Release() {
	for _, list := range r.lists {
		list.Release()
	}
	if cap(r.text) <= maxPooled && cap(r.ends) <= maxPooled {
		pool.Put(r)
	}
}

// Append adds the next cell; nil is null. The text is copied.
func (r *Rows) Append(cell []byte) {
	r.text = append(r.text, cell...)
	if cell == nil {
		r.ends = append(r.ends, ^len(r.text))
		return
	}
	r.ends = append(r.ends, len(r.text))
}

// AppendList adds the next cell, which holds nested rows.
func (r *Rows) AppendList(rows *Rows) {
	if r.lists == nil {
		r.lists = map[int]*Rows{}
	}
	r.lists[len(r.ends)] = rows
	r.ends = append(r.ends, len(r.text))
}

// Len returns the number of rows.
func (r *Rows) Len() int {
	if r.width == 0 {
		return 0
	}
	return len(r.ends) / r.width
}

// Cell returns the text of a cell; ok is false for null. The text is valid until Release.
func (r *Rows) Cell(row, column int) (text []byte, ok bool) {
	i := row*r.width + column
	end := r.ends[i]
	if end < 0 {
		return nil, false
	}
	start := 0
	if i > 0 {
		if start = r.ends[i-1]; start < 0 {
			start = ^start
		}
	}
	return r.text[start:end], true
}

// List returns the nested rows of a cell; nil if there are none.
func (r *Rows) List(row, column int) *Rows {
	return r.lists[row*r.width+column]
}
