package scale

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// Report is the result of a simulation.
type Report struct {
	Setup        Setup
	Served       int           // requests that have ended
	P50, P99     time.Duration // from the arrival of a request to its end
	Resources    []Resource    // the most used one first
	Live         float64       // companies whose state an instance keeps
	InstanceMB   float64       // for them
	ConnectionMB float64       // the largest connection's statements and tables
}

// Resource is what requests wait for. Of instances, lanes and nodes it is the one that is
// used most.
type Resource struct {
	Name     string
	Used     float64 // from 0 to 1
	FullRate float64 // requests per second at which it would be used up
}

// Bottleneck is the resource that is the first to be used up.
func (r *Report) Bottleneck() Resource { return r.Resources[0] }

func (s *simulation) report() *Report {
	slices.Sort(s.latencies)
	r := &Report{Setup: s.setup, Served: len(s.latencies), P50: s.quantile(0.5), P99: s.quantile(0.99)}
	var processors, lanes []Resource
	for _, in := range s.instances {
		processors = append(processors, s.resource(in.processors.name, in.processors.worked, in.processors.servers))
		for _, l := range in.lanes {
			lanes = append(lanes, s.resource(l.name, l.needed, l.size))
			for _, c := range l.all {
				r.ConnectionMB = max(r.ConnectionMB, float64(len(c.touched))*s.costs.ConnectionMemory)
			}
		}
	}
	var nodes []Resource
	for _, n := range s.nodes {
		nodes = append(nodes, s.resource(n.name, n.worked, n.servers))
	}
	r.Resources = []Resource{mostUsed(processors), mostUsed(lanes), mostUsed(nodes)}
	if s.coordinator != nil {
		r.Resources = append(r.Resources, s.resource(s.coordinator.name, s.coordinator.worked, s.coordinator.servers))
	}
	slices.SortStableFunc(r.Resources, byUse)
	r.Live = live(s.rates(), s.keptFor)
	r.InstanceMB = r.Live * s.costs.CompanyMemory
	return r
}

func (s *simulation) resource(name string, worked float64, servers int) Resource {
	used := worked / (s.setup.Duration.Seconds() * float64(servers))
	served := float64(len(s.latencies)) / s.setup.Duration.Seconds()
	return Resource{Name: name, Used: used, FullRate: served / used}
}

func byUse(a, b Resource) int {
	switch {
	case a.Used > b.Used:
		return -1
	case a.Used < b.Used:
		return 1
	}
	return 0
}

func mostUsed(of []Resource) Resource {
	slices.SortStableFunc(of, byUse)
	return of[0]
}

// quantile is that of the latencies, which are sorted; 0 if there are none.
func (s *simulation) quantile(q float64) time.Duration {
	if len(s.latencies) == 0 {
		return 0
	}
	return time.Duration(s.latencies[int(q*float64(len(s.latencies)-1))] * float64(time.Second))
}

// Print writes the report as a text.
func (r *Report) Print(w io.Writer) error {
	fmt.Fprintf(w, "%d companies, %.0f requests/s, %d instances, %d nodes, seed %d\n\n", r.Setup.Companies, r.Setup.Rate, r.Setup.Instances, r.Setup.Nodes, r.Setup.Seed)
	fmt.Fprintf(w, "served %.0f requests/s, p50 %s, p99 %s\n", float64(r.Served)/r.Setup.Duration.Seconds(),
		r.P50.Round(10*time.Microsecond), r.P99.Round(10*time.Microsecond))
	fmt.Fprintf(w, "an instance keeps the state of %.0f companies, %.0f MB; a connection of the database takes up to %.0f MB\n\n",
		r.Live, r.InstanceMB, r.ConnectionMB)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "Most used\tUse\tFull at")
	for _, resource := range r.Resources {
		fmt.Fprintf(table, "%s\t%.0f %%\t%.0f requests/s\n", resource.Name, 100*resource.Used, resource.FullRate)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nThe first bottleneck: %s.\n", r.Bottleneck().Name)
	return err
}
