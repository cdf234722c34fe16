package pgread

import (
	"fmt"
	"strconv"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// page is the page that a list's statement reads.
type page struct {
	*list
	rows            *readmodel.Rows
	hasNext         bool
	opening, ending edge
}

// edge is the first or the last record of a page: its sort key and its id.
type edge struct {
	isNull bool
	key    int    // the length of the sort key, which is
	text   []byte // before the id
}

// add adds a row of the statement. Each has the total; one has a record unless the
// page is empty.
func (p *page) add(cells [][]byte) (err error) {
	total, key, id, record := cells[0], cells[1], cells[2], cells[3:]
	if p.rows.Total, err = strconv.ParseInt(string(total), 10, 64); err != nil {
		return fmt.Errorf("read the total: %w", err)
	}
	if id == nil {
		return nil
	}
	if p.position == after && p.rows.Len() == p.page.Size {
		p.hasNext = true
		return nil
	}
	if p.hasCursors() {
		p.ending.set(key, id)
		if p.rows.Len() == 0 {
			p.opening.set(key, id)
		}
	}
	return appendRow(p.rows, p.selection, record)
}

func (p *page) setCursors() {
	if !p.hasCursors() || p.rows.Len() == 0 {
		return
	}
	p.rows.Prev = p.encode(p.opening.cursor(before), p.orders)
	if p.hasNext {
		p.rows.Next = p.encode(p.ending.cursor(after), p.orders)
	}
}

// set moves the edge to the record with these cells, which are valid only now.
func (e *edge) set(key, id []byte) {
	if e.text == nil {
		e.text = make([]byte, 0, 64) // enough for most
	}
	e.isNull, e.key = key == nil, len(key)
	e.text = append(append(e.text[:0], key...), id...)
}

func (e *edge) cursor(side position) cursor {
	return cursor{before: side == before, isNull: e.isNull, key: string(e.text[:e.key]), id: string(e.text[e.key:])}
}
