package load

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Line is one line of a plot: milliseconds by number of clients.
type Line struct {
	Name   string
	Points []Point
}

// Point is one size and its time.
type Point struct{ Clients, Milliseconds float64 }

// Lines are the growth of all kinds as lines.
func (r *Report) Lines() []Line {
	var lines []Line
	for _, g := range r.Growth {
		l := Line{Name: g.Say}
		for i, s := range g.Alone {
			l.Points = append(l.Points, Point{float64(g.Clients[i]), s.P50})
		}
		lines = append(lines, l)
	}
	return lines
}

// The picture's measures, in its own units.
const (
	plotLeft, plotTop     = 60.0, 40.0
	plotWidth, plotHeight = 520.0, 360.0
	legendLeft            = plotLeft + plotWidth + 24
	pictureWidth          = legendLeft + 400
	legendStep            = 20.0
)

var colours = []string{
	"#1b6ca8", "#d1495b", "#2e8b57", "#e08e1b", "#6a4c93", "#00798c", "#8d5524", "#444444",
	"#c2185b", "#558b2f", "#5c6bc0", "#f4511e", "#00897b", "#9e9d24", "#7b1fa2", "#37474f",
}

// scale maps a value to a place, by its logarithm.
type scale struct{ low, high, from, to float64 }

func newScale(values []float64, from, to float64) scale {
	s := scale{math.Inf(1), math.Inf(-1), from, to}
	for _, v := range values {
		s.low, s.high = min(s.low, v), max(s.high, v)
	}
	s.low = math.Pow(10, math.Floor(math.Log10(s.low)+1e-9))
	s.high = math.Pow(10, math.Ceil(math.Log10(s.high)-1e-9))
	if s.high <= s.low {
		s.high = s.low * 10
	}
	return s
}

func (s scale) at(v float64) float64 {
	part := math.Log10(v/s.low) / math.Log10(s.high/s.low)
	return s.from + part*(s.to-s.from)
}

// decades are the powers of ten of the scale.
func (s scale) decades() (all []float64) {
	for v := s.low; v <= s.high*1.001; v *= 10 {
		all = append(all, v)
	}
	return all
}

// Plot draws the lines over logarithmic axes.
func Plot(w io.Writer, title string, lines []Line) error {
	var xs, ys []float64
	for _, l := range lines {
		for _, p := range l.Points {
			if p.Clients > 0 && p.Milliseconds > 0 {
				xs, ys = append(xs, p.Clients), append(ys, p.Milliseconds)
			}
		}
	}
	if len(xs) == 0 {
		return fmt.Errorf("there is nothing to draw")
	}
	x := newScale(xs, plotLeft, plotLeft+plotWidth)
	y := newScale(ys, plotTop+plotHeight, plotTop)
	height := max(plotTop+plotHeight+50, plotTop+legendStep*float64(len(lines))+20)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="12">`+"\n", pictureWidth, height)
	fmt.Fprintf(&b, `<rect width="%.0f" height="%.0f" fill="#ffffff"/>`+"\n", pictureWidth, height)
	fmt.Fprintf(&b, `<text x="%.0f" y="22" font-size="15">%s</text>`+"\n", plotLeft, escaped(title))
	drawAxes(&b, x, y)
	for i, l := range inOrderOfEnd(lines) {
		drawLine(&b, l, i, x, y)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func drawAxes(b *strings.Builder, x, y scale) {
	for _, v := range y.decades() {
		fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#dddddd"/>`+"\n", x.from, y.at(v), x.to, y.at(v))
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end">%g</text>`+"\n", x.from-8, y.at(v)+4, v)
	}
	for _, v := range x.decades() {
		fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#dddddd"/>`+"\n", x.at(v), y.from, x.at(v), y.to)
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">%.0f</text>`+"\n", x.at(v), y.from+18, v)
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">clients</text>`+"\n", (x.from+x.to)/2, y.from+38)
	fmt.Fprintf(b, `<text x="16" y="%.1f" text-anchor="middle" transform="rotate(-90 16 %.1f)">milliseconds</text>`+"\n",
		(y.from+y.to)/2, (y.from+y.to)/2)
}

// inOrderOfEnd sorts the lines as they lie on the right, so that the names stand beside them.
func inOrderOfEnd(lines []Line) []Line {
	end := func(l Line) float64 {
		if len(l.Points) == 0 {
			return 0
		}
		return l.Points[len(l.Points)-1].Milliseconds
	}
	sorted := slices.Clone(lines)
	slices.SortStableFunc(sorted, func(a, b Line) int {
		switch {
		case end(a) > end(b):
			return -1
		case end(a) < end(b):
			return 1
		}
		return 0
	})
	return sorted
}

func drawLine(b *strings.Builder, l Line, i int, x, y scale) {
	colour := colours[i%len(colours)]
	var places []string
	for _, p := range l.Points {
		if p.Clients > 0 && p.Milliseconds > 0 {
			places = append(places, fmt.Sprintf("%.1f,%.1f", x.at(p.Clients), y.at(p.Milliseconds)))
		}
	}
	fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(places, " "), colour)
	for _, place := range places {
		cx, cy, _ := strings.Cut(place, ",")
		fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="3" fill="%s"/>`+"\n", cx, cy, colour)
	}
	top := plotTop + legendStep*float64(i)
	fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="12" height="12" fill="%s"/>`+"\n", legendLeft, top, colour)
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f">%s</text>`+"\n", legendLeft+20, top+11, escaped(l.Name))
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder never fails
	return b.String()
}
