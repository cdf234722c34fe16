package load

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Goal is a figure that was set.
type Goal struct {
	What    string
	Least   float64 // 0: none
	Most    float64 // 0: none
	Figures map[string]float64
}

// Goals are the figures that were set, with what was measured.
func (r *Report) Goals() []Goal {
	rate := Goal{What: "requests in a second over the floor's, reads", Least: 0.7, Figures: map[string]float64{}}
	cpu := Goal{What: "CPU of a request over the floor's, reads", Most: 1.4, Figures: map[string]float64{}}
	ceiling := Goal{What: "the floor over pgbench", Least: 0.4, Figures: map[string]float64{}}
	grown := Goal{What: "growth of the time over one connection", Most: 1.5, Figures: map[string]float64{}}
	fewer := Goal{What: "growth of the rate over several", Most: 1.5, Figures: map[string]float64{}}
	client := Goal{What: "creating a client, over the same without read models", Least: 0.6, Figures: map[string]float64{}}
	invoice := Goal{What: "creating an invoice, over the same without read models", Least: 0.45, Figures: map[string]float64{}}
	wide := Goal{What: "16 writers over 4", Least: 0.9, Figures: map[string]float64{}}
	size := Goal{What: "memory of the service in MB", Most: 100, Figures: map[string]float64{}}
	steady := Goal{What: "reads beside an old snapshot over those before it", Least: 0.5, Figures: map[string]float64{}}
	first := Goal{What: "the first list after a restart in ms", Most: 200, Figures: map[string]float64{}}
	ready := Goal{What: "ready after a start in ms", Most: 300, Figures: map[string]float64{}}
	file := Goal{What: "size of the program in MB", Most: 40, Figures: map[string]float64{}}
	for _, c := range r.Floor {
		name := fmt.Sprintf("%s/%d", c.Kind, c.Connections)
		if !c.IsWrite {
			rate.Figures[name], cpu.Figures[name] = c.Rate, c.CPU
		}
		size.Figures[name] = float64(c.Kontor.Memory) / megabyte
	}
	for _, c := range r.Ceiling {
		ceiling.Figures[c.Kind] = c.Ratio
	}
	for _, g := range r.Growth {
		if !g.Cold {
			grown.Figures[g.Kind], fewer.Figures[g.Kind] = g.Latency, g.Rate
		}
	}
	for _, c := range r.Plain {
		if c.Kind == "client-create" {
			client.Figures[c.Kind] = c.Rate
		} else {
			invoice.Figures[c.Kind] = c.Rate
		}
	}
	for _, n := range r.Widening {
		wide.Figures[n.Kind] = n.Ratio
	}
	if r.Snapshot != nil {
		steady.Figures[r.Snapshot.AllReads.What] = r.Snapshot.AllReads.Ratio
		for _, s := range r.Snapshot.Reads {
			steady.Figures[s.What] = s.Ratio
		}
	}
	if r.Restart != nil {
		first.Figures["clients-first"] = r.Restart.First
		ready.Figures["kontor"], file.Figures["kontor"] = r.Restart.Ready, r.Restart.Size
	}
	return []Goal{rate, cpu, ceiling, grown, fewer, client, invoice, wide, size, first, ready, file, steady}
}

// missed are the figures that are worse than the goal.
func (g Goal) missed() map[string]float64 {
	missed := map[string]float64{}
	for name, figure := range g.Figures {
		if g.Least > 0 && figure < g.Least || g.Most > 0 && figure > g.Most {
			missed[name] = figure
		}
	}
	return missed
}

// WriteGoals says which goals were reached, and which figures miss one.
func (r *Report) WriteGoals(w io.Writer) {
	fmt.Fprintln(w)
	for _, g := range r.Goals() {
		if len(g.Figures) == 0 {
			continue
		}
		bound := fmt.Sprintf("at least %.2f", g.Least)
		if g.Most > 0 {
			bound = fmt.Sprintf("at most %.2f", g.Most)
		}
		missed := g.missed()
		if len(missed) == 0 {
			fmt.Fprintf(w, "reached: %s, %s\n", g.What, bound)
			continue
		}
		var names []string
		for _, name := range slices.Sorted(maps.Keys(missed)) {
			names = append(names, fmt.Sprintf("%s %.2f", name, missed[name]))
		}
		fmt.Fprintf(w, "MISSED: %s, %s: %s\n", g.What, bound, strings.Join(names, ", "))
	}
}
