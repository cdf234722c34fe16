package load

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// The layout of the plot, in its own units.
const (
	plotLeft, plotTop     = 60.0, 40.0
	plotWidth, plotHeight = 520.0, 360.0
	legendLeft            = plotLeft + plotWidth + 24
	plotTotalWidth        = legendLeft + 400
	legendStep            = 20.0
)

var colours = []string{
	"#1b6ca8", "#d1495b", "#2e8b57", "#e08e1b", "#6a4c93", "#00798c", "#8d5524", "#444444",
	"#c2185b", "#558b2f", "#5c6bc0", "#f4511e", "#00897b", "#9e9d24", "#7b1fa2", "#37474f",
}

// axis maps values to coordinates on a logarithmic scale of whole decades.
type axis struct{ low, high, from, to float64 }

func newAxis(values []float64, from, to float64) axis {
	a := axis{math.Pow(10, math.Floor(math.Log10(slices.Min(values)))), math.Pow(10, math.Ceil(math.Log10(slices.Max(values)))), from, to}
	if a.high <= a.low {
		a.high = a.low * 10
	}
	return a
}

func (a axis) at(v float64) float64 {
	return a.from + math.Log10(v/a.low)/math.Log10(a.high/a.low)*(a.to-a.from)
}

func (a axis) decades() (all []float64) {
	for v := a.low; v <= a.high*1.001; v *= 10 {
		all = append(all, v)
	}
	return all
}

// Plot draws the latency over the number of clients as SVG, a line for each kind, named on the right in the order
// of the last latencies.
func Plot(w io.Writer, growth []Growth) error {
	var xs, ys []float64
	for _, g := range growth {
		for i, s := range g.One {
			xs, ys = append(xs, float64(g.Clients[i])), append(ys, s.P50)
		}
	}
	if len(xs) == 0 {
		return errors.New("there is nothing to plot")
	}
	x, y := newAxis(xs, plotLeft, plotLeft+plotWidth), newAxis(ys, plotTop+plotHeight, plotTop)
	height := max(plotTop+plotHeight+50, plotTop+legendStep*float64(len(growth))+20)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="12">`+"\n", plotTotalWidth, height)
	fmt.Fprintf(&b, `<rect width="%.0f" height="%.0f" fill="#ffffff"/>`+"\n", plotTotalWidth, height)
	fmt.Fprintf(&b, `<text x="%.0f" y="22" font-size="15">Latency by number of clients: p50, one connection</text>`+"\n", plotLeft)
	plotAxes(&b, x, y)
	sorted := slices.SortedStableFunc(slices.Values(growth), func(g, h Growth) int { return cmp.Compare(h.lastLatency(), g.lastLatency()) })
	for i, g := range sorted {
		plotLine(&b, g, i, x, y)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (g Growth) lastLatency() float64 { return g.One[len(g.One)-1].P50 }

func plotAxes(b *strings.Builder, x, y axis) {
	const line = `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#dddddd"/>` + "\n"
	for _, v := range y.decades() {
		fmt.Fprintf(b, line, x.from, y.at(v), x.to, y.at(v))
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end">%g</text>`+"\n", x.from-8, y.at(v)+4, v)
	}
	for _, v := range x.decades() {
		fmt.Fprintf(b, line, x.at(v), y.from, x.at(v), y.to)
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">%.0f</text>`+"\n", x.at(v), y.from+18, v)
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">clients</text>`+"\n", (x.from+x.to)/2, y.from+38)
	fmt.Fprintf(b, `<text x="16" y="%.1f" text-anchor="middle" transform="rotate(-90 16 %.1f)">milliseconds</text>`+"\n", (y.from+y.to)/2, (y.from+y.to)/2)
}

func plotLine(b *strings.Builder, g Growth, i int, x, y axis) {
	colour := colours[i%len(colours)]
	var points []string
	for n, s := range g.One {
		px, py := x.at(float64(g.Clients[n])), y.at(s.P50)
		points = append(points, fmt.Sprintf("%.1f,%.1f", px, py))
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", px, py, colour)
	}
	fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(points, " "), colour)
	top := plotTop + legendStep*float64(i)
	fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="12" height="12" fill="%s"/>`+"\n", legendLeft, top, colour)
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f">`, legendLeft+20, top+11)
	_ = xml.EscapeText(b, []byte(describe(g.Kind))) // a builder never fails
	b.WriteString("</text>\n")
}

// describe is the description of the kind of this name.
func describe(name string) string {
	for _, k := range Kinds {
		if k.Name == name {
			return k.Description
		}
	}
	return name
}
