package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/test/bench/floor"
)

// compile makes the program that writes records of the selection. column says where the cell of a path
// stands in a row of the statement.
func compile(s *readmodel.Selection, column func(cell int) int) floor.Program {
	c := &compiler{selection: s, column: column}
	c.object(s.Nodes)
	return floor.Program{Steps: c.steps}
}

type compiler struct {
	selection *readmodel.Selection
	column    func(cell int) int
	steps     []floor.Step
}

func (c *compiler) literal(text string) {
	if last := len(c.steps) - 1; last >= 0 && c.steps[last].Kind == floor.Literal {
		c.steps[last].Text += text
		return
	}
	c.add(floor.Step{Kind: floor.Literal, Text: text})
}

func (c *compiler) add(s floor.Step) int {
	c.steps = append(c.steps, s)
	return len(c.steps) - 1
}

func (c *compiler) object(nodes []readmodel.Node) {
	c.literal("{")
	for i := range nodes {
		n := &nodes[i]
		guard := -1
		if n.Only != "" {
			guard = c.add(floor.Step{Kind: floor.Only, Text: n.Only, Column: c.column(c.selection.Type)})
			c.add(floor.Step{Kind: floor.Literal})
		}
		if i > 0 {
			c.literal(",")
		}
		c.literal(`"` + n.Name + `":`)
		c.value(n)
		if guard >= 0 {
			c.close(guard)
		}
	}
	c.literal("}")
}

// close makes the guard skip what was added since; what follows must not grow into it.
func (c *compiler) close(guard int) {
	c.steps[guard].Skip = len(c.steps) - 1 - guard
	c.add(floor.Step{Kind: floor.Literal})
}

func (c *compiler) value(n *readmodel.Node) {
	column := c.column(n.Column)
	switch n.Kind {
	case readmodel.Object:
		guard := c.add(floor.Step{Kind: floor.Unless, Column: column})
		c.add(floor.Step{Kind: floor.Literal})
		c.object(n.Of)
		c.close(guard)
	case readmodel.List:
		c.add(floor.Step{Kind: floor.Inner, Column: column, Of: compile(n.Inner, func(cell int) int { return cell })})
	default:
		c.add(floor.Step{Kind: stepOf(n.Kind), Column: column})
	}
}

func stepOf(k readmodel.Kind) string {
	switch k {
	case readmodel.ID, readmodel.Integer:
		return floor.Raw
	case readmodel.Quantity:
		return floor.Quantity
	case readmodel.Bool:
		return floor.Truth
	case readmodel.Time:
		return floor.Clock
	}
	return floor.Quoted
}

// leaf is a cell of the selection as the answer shows it, by record; nil where it is not shown.
type leaf struct {
	node  *readmodel.Node
	cell  int
	shown []json.RawMessage
}

// leavesIn finds what an answer shows of each cell.
func leavesIn(s *readmodel.Selection, records []json.RawMessage) ([]*leaf, error) {
	found := map[int]*leaf{}
	for i, record := range records {
		if err := gather(found, s.Nodes, record, i, len(records)); err != nil {
			return nil, err
		}
	}
	var leaves []*leaf
	for cell := range s.Paths {
		if l := found[cell]; l != nil {
			leaves = append(leaves, l)
		}
	}
	return leaves, nil
}

func gather(found map[int]*leaf, nodes []readmodel.Node, record json.RawMessage, at, of int) error {
	var attributes map[string]json.RawMessage
	if err := json.Unmarshal(record, &attributes); err != nil {
		return fmt.Errorf("read a record of an answer: %w", err)
	}
	for i := range nodes {
		n := &nodes[i]
		shown, ok := attributes[n.Name]
		if !ok {
			continue // records of its type do not have it
		}
		if n.Kind == readmodel.Object {
			if string(shown) == "null" {
				continue
			}
			if err := gather(found, n.Of, shown, at, of); err != nil {
				return err
			}
			continue
		}
		if found[n.Column] == nil {
			found[n.Column] = &leaf{node: n, cell: n.Column, shown: make([]json.RawMessage, of)}
		}
		found[n.Column].shown[at] = shown
	}
	return nil
}

// in tells whether the leaf may be what this column of the rows holds.
func (l *leaf) in(rows [][][]byte, column int) bool {
	var c compiler
	c.column = func(int) int { return 0 }
	c.value(l.node)
	program := floor.Program{Steps: c.steps}
	for i, want := range l.shown {
		if want != nil && !shows(&program, rows[i][column], want) {
			return false
		}
	}
	return true
}

// shows tells whether the program makes the text of the cell. A cell of another kind can look like
// anything, so a program that cannot read it does not show it.
func shows(p *floor.Program, cell []byte, want []byte) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	return bytes.Equal(p.Record(nil, [][]byte{cell}), want)
}

var errNoColumns = errors.New("no statement has the rows of the answer")

// columnsOf finds the columns of the rows that the cells of an answer come from. Most statements give
// all cells one behind the other, perhaps after something else; of those that do not, each cell is
// looked for, if possible behind the one before it. A cell that no record shows is taken to stand there.
func columnsOf(cells int, leaves []*leaf, rows [][][]byte) ([]int, error) {
	columns := make([]int, cells)
	for offset := 0; offset+cells <= len(rows[0]); offset++ {
		if stands(leaves, rows, offset) {
			for cell := range columns {
				columns[cell] = offset + cell
			}
			return columns, nil
		}
	}
	last := -1
	for cell := range columns {
		last++
		if i := slices.IndexFunc(leaves, func(l *leaf) bool { return l.cell == cell }); i >= 0 {
			l := leaves[i]
			if last = l.behind(rows, last-1); last < 0 {
				last = l.behind(rows, -1)
			}
			if last < 0 {
				return nil, fmt.Errorf("%w: no column for %s", errNoColumns, l.node.Name)
			}
		}
		columns[cell] = min(last, len(rows[0])-1)
	}
	return columns, nil
}

// stands tells whether each cell stands so many columns behind its place.
func stands(leaves []*leaf, rows [][][]byte, offset int) bool {
	return !slices.ContainsFunc(leaves, func(l *leaf) bool { return !l.in(rows, l.cell+offset) })
}

// behind is the first column behind this one that the leaf may be; -1 if there is none.
func (l *leaf) behind(rows [][][]byte, column int) int {
	for column++; column < len(rows[0]); column++ {
		if l.in(rows, column) {
			return column
		}
	}
	return -1
}
