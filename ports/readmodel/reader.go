package readmodel

import (
	"context"
	"sync"
)

// Page is a part of a list. The zero value is the whole list.
type Page struct {
	Number int64 // from 1
	Size   int   // 1 to MaxPerPage; 0: all rows
	// Cursor, if there is one, is a Rows.Next or Rows.Prev of the same list in the
	// same order: it says where the page's rows lie, and Number only says the
	// page's number.
	Cursor string
}

// MaxPerPage is the largest page.
const MaxPerPage = 500

// Count is how many pages a list of total rows has.
func (p Page) Count(total int64) int64 {
	if p.Size == 0 {
		return 1
	}
	return (total + int64(p.Size) - 1) / int64(p.Size)
}

// Order is one key of a sort.
type Order struct {
	Attribute  string
	Descending bool
}

// Query asks for a page of a list.
type Query[F any] struct {
	Filter F
	Select *Selection
	Sort   []Order
	Page   Page
}

// Reader fetches the records of one resource.
type Reader[F any] interface {
	// List fetches the rows of the page in the order of the sort, and the exact
	// number of rows that the filter matches, both at the same moment. A page
	// behind the last has no rows and the true total. A cursor that no such list
	// made, or one in another order, is a fault.Malformed that names it.
	List(ctx context.Context, q Query[F]) (*Rows, error)
	// Read fetches the one record with the id: exactly one row, or
	// fault.NotFound.
	Read(ctx context.Context, id int64, s *Selection) (*Rows, error)
}

// View reads single records as a running unit of work sees them: its own changes
// and what is derived from them, and beside those what is committed.
type View interface {
	// Read fetches the record of the resource with the id: exactly one row, or
	// fault.NotFound.
	Read(ctx context.Context, of *Resource, id int64, s *Selection) (*Rows, error)
}

// Rows are fetched rows: for each the cells of the selection's paths.
type Rows struct {
	Total int64 // how many rows there are in all pages
	// Next is the cursor of the page behind these rows, and Prev that of the page
	// before them, for Page.Cursor; "" if there are no rows, the list has no pages
	// or its order no cursors. There may be no row where a cursor leads.
	Next, Prev string

	width int
	text  []byte
	ends  []int // where each cell's text ends; the complement if it is null
	lists map[int]*Rows
}

// released are rows that nobody needs any more: most of what a list takes of the
// memory is the room for its rows.
var released = sync.Pool{New: func() any { return new(Rows) }}

// mostKept is for how many bytes and cells released rows may have room.
const mostKept = 1 << 16

// NewRows makes rows of so many cells each.
func NewRows(width int) *Rows {
	r := released.Get().(*Rows)
	*r = Rows{width: width, text: r.text[:0], ends: r.ends[:0]}
	return r
}

// Release gives the room of the rows to others. Neither they nor the text of a
// cell may be used afterwards. Rows that are not released are collected as
// anything else.
func (r *Rows) Release() {
	for _, list := range r.lists {
		list.Release()
	}
	if cap(r.text) <= mostKept && cap(r.ends) <= mostKept {
		released.Put(r)
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

// AppendList adds the next cell, which holds rows of its own.
func (r *Rows) AppendList(rows *Rows) {
	if r.lists == nil {
		r.lists = map[int]*Rows{}
	}
	r.lists[len(r.ends)] = rows
	r.ends = append(r.ends, len(r.text))
}

// Len is the number of rows.
func (r *Rows) Len() int {
	if r.width == 0 {
		return 0
	}
	return len(r.ends) / r.width
}

// Cell is the text of a cell and whether it has one; false is null. The text
// is good as long as the rows are.
func (r *Rows) Cell(row, column int) ([]byte, bool) {
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

// List is the rows inside a cell; nil if there are none.
func (r *Rows) List(row, column int) *Rows {
	return r.lists[row*r.width+column]
}
