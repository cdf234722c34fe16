package page

import (
	"io"
	"math"
	"slices"
	"strconv"
)

// Report is the page of a report.
type Report struct {
	Frame
	Form
	Fields        []Field // the parameters
	Charts        []Chart
	Items, Totals Table
	CSV           string
	Related       []Link
}

// Write writes the page.
func (r Report) Write(w io.Writer) error { return templates.ExecuteTemplate(w, "report.html", r) }

// Column returns the place of the column with the name; -1 if there is none.
func (t *Table) Column(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// Chart is a chart of bars, each with its label and its value as text, so that it needs no colours: what is below 0 is an outline on
// the other side. It shows the first values.
type Chart struct {
	Title, Note        string // the note is below it
	Bars               []Bar
	More               int // values that are not shown
	Height, Zero, Base int // of the drawing, of the line of 0, and where that ends
}

// Bar is a value of a chart, and its place.
type Bar struct {
	Label, Value    string
	X, Y, Width, At int // At is the base line of its texts
	IsNegative      bool

	size float64
}

// The drawing, in its own units: labels, values and bars beside each other.
const (
	maxBars              = 24
	barsLeft, barsWidth  = 320, 370
	barHeight, rowHeight = 18, 26
)

// Add adds a value, which is a decimal number.
func (c *Chart) Add(label string, value Value) {
	if len(c.Bars) == maxBars {
		c.More++
		return
	}
	size, _ := strconv.ParseFloat(value.Raw, 64) // for drawing only
	c.Bars = append(c.Bars, Bar{Label: label, Value: value.Text, size: size})
}

// Drawn returns the chart with the places of its bars.
func (c Chart) Drawn() Chart {
	low, high := 0.0, 0.0
	for _, b := range c.Bars {
		low, high = min(low, b.size), max(high, b.size)
	}
	scale := 0.0
	if high > low {
		scale = barsWidth / (high - low)
	}
	c.Zero = barsLeft + int(math.Round(-low*scale))
	c.Base = rowHeight * len(c.Bars)
	c.Height = max(c.Base, 1)
	for i := range c.Bars {
		b := &c.Bars[i]
		b.X, b.Y, b.Width = c.Zero, i*rowHeight+(rowHeight-barHeight)/2, int(math.Round(math.Abs(b.size)*scale))
		if b.IsNegative = b.size < 0; b.IsNegative {
			b.X -= b.Width
		}
		b.At = b.Y + barHeight - 5
	}
	return c
}
