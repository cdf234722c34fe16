// Command scale simulates many companies on several instances and nodes; package scale describes how.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/kontor-crm/kontor/test/scale"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	s := scale.Setup{}
	flags := flag.NewFlagSet("scale", flag.ExitOnError)
	flags.Uint64Var(&s.Seed, "seed", 1, "of the random numbers")
	flags.DurationVar(&s.Duration, "duration", 20*time.Second, "to simulate")
	flags.IntVar(&s.Companies, "companies", 100_000, "with data")
	flags.Float64Var(&s.Rate, "rate", 10_000, "requests per second of all companies")
	flags.Float64Var(&s.Skew, "skew", 0.8, "exponent of the Zipf distribution of requests over companies; 0: all alike")
	flags.Float64Var(&s.Reads, "reads", 0.5, "part of the requests that read one record")
	flags.Float64Var(&s.Writes, "writes", 0.1, "part of the requests that write; the rest are lists")
	flags.IntVar(&s.Instances, "instances", 4, "of Kontor")
	byCompany := flags.Bool("by-company", false, "route all requests of a company to one instance")
	flags.IntVar(&s.InstanceCores, "instance-cores", 2, "processors of an instance")
	flags.IntVar(&s.Connections, "connections", 32, "of an instance")
	flags.IntVar(&s.Lanes, "lanes", 1, "groups of an instance's connections")
	flags.IntVar(&s.LiveCompanies, "live-companies", 200, "whose state an instance keeps at most")
	flags.DurationVar(&s.Busy, "busy", time.Minute, "after its last request, for which the state of a company is kept in any case")
	flags.DurationVar(&s.Idle, "idle", 10*time.Minute, "after which the state of a company is dropped")
	flags.IntVar(&s.Nodes, "nodes", 8, "of the database, with data")
	flags.IntVar(&s.NodeCores, "node-cores", 4, "processors of a node")
	flags.IntVar(&s.CoordinatorCores, "coordinator-cores", 8, "processors of the coordinator; 0: there is none")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *byCompany {
		s.Routing = scale.ByCompany
	}
	report, err := scale.Run(s, scale.Measured)
	if err != nil {
		return err
	}
	return report.Print(out)
}
