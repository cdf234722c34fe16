package scale

import (
	"errors"
	"time"
)

// Setup is an installation and its load.
type Setup struct {
	Seed      uint64
	Duration  time.Duration // simulated
	Companies int
	Rate      float64 // requests per second, of all companies
	Skew      float64 // exponent of the Zipf distribution of requests over companies; 0: all alike
	Reads     float64 // part of the requests that read one record
	Writes    float64 // part of the requests that write; the rest are lists

	Instances     int
	Routing       Routing
	InstanceCores int
	Connections   int // of an instance
	Lanes         int // groups of an instance's connections; a company uses one of them
	LiveCompanies int // whose state an instance keeps at most, of those that were not in use for Busy
	Busy          time.Duration
	Idle          time.Duration

	Nodes            int // with data
	NodeCores        int
	CoordinatorCores int // 0: instances connect to the only node
}

// Routing is how requests are distributed over the instances.
type Routing int

// The kinds of routing.
const (
	InTurn    Routing = iota // each request to the next instance
	ByCompany                // all requests of a company to one instance
)

// Validate returns an error that names a value that cannot be simulated.
func (s Setup) Validate() error {
	switch {
	case s.Duration <= 0:
		return errors.New("the duration must be positive")
	case s.Companies < 1 || s.Instances < 1 || s.InstanceCores < 1 || s.Nodes < 1 || s.NodeCores < 1:
		return errors.New("companies, instances, nodes and their cores must be at least 1")
	case s.Lanes < 1 || s.Connections < s.Lanes:
		return errors.New("there must be at least one lane, and one connection in each")
	case s.LiveCompanies < 1 || s.Idle <= 0:
		return errors.New("live companies and the idle time must be positive")
	case s.Rate <= 0 || s.Skew < 0:
		return errors.New("the rate must be positive, and the skew not negative")
	case s.Reads < 0 || s.Writes < 0 || s.Reads+s.Writes > 1:
		return errors.New("the parts of reads and writes must be between 0 and 1, and so must their sum")
	case s.CoordinatorCores < 0 || s.CoordinatorCores == 0 && s.Nodes > 1:
		return errors.New("several nodes need the cores of a coordinator")
	}
	return nil
}

// kind is what a request does.
type kind int

const (
	read kind = iota
	list
	write
	kinds
)

// Costs are mean times and sizes of one request or company.
type Costs struct {
	Service     [kinds]time.Duration // CPU time of the instance
	Database    [kinds]time.Duration // CPU time of the only node
	Coordinator [kinds]time.Duration // CPU time of the coordinator, if there is one; 0: directly to the worker
	Worker      [kinds]time.Duration // CPU time of the node with the data behind it
	Flush       time.Duration        // of the log, which serves all commits that wait
	Switch      time.Duration        // of the node or coordinator: another company than before
	Prepare     time.Duration        // of the same: statements that the connection has not prepared
	Load        time.Duration        // of the instance: the state of a company that is not kept
	Kept        int                  // companies whose statements a connection keeps prepared
	Served      int                  // companies after which a connection is replaced; 0: it never is
	Connect     time.Duration        // of the node or coordinator: a connection that replaces another

	CompanyMemory    float64 // MB of an instance for the state of a company
	ConnectionMemory float64 // MB of a database process for the statements and tables of a company
}
