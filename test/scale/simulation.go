package scale

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"time"
)

// Run simulates the setup. The same setup and costs have the same report.
func Run(setup Setup, costs Costs) (*Report, error) {
	if err := setup.Validate(); err != nil {
		return nil, err
	}
	s := newSimulation(setup, costs)
	s.arrive()
	s.clock.runUntil(setup.Duration.Seconds())
	return s.report(), nil
}

type simulation struct {
	setup  Setup
	costs  Costs
	random *rand.Rand
	clock  clock

	popularity []float64 // cumulative
	keptFor    float64   // seconds after its last request that a company's state is kept
	instances  []*instance
	// coordinator is nil if there is none.
	coordinator *station
	nodes       []*station
	logs        []*flusher

	arrived   int
	latencies []float64
}

type instance struct {
	processors *station
	lanes      []*lane
}

// lane is the one that the company uses. Companies of one instance are spread over all.
func (in *instance) lane(company int) *lane {
	return in.lanes[(uint32(company)*2654435761>>16)%uint32(len(in.lanes))]
}

func newSimulation(setup Setup, costs Costs) *simulation {
	s := &simulation{setup: setup, costs: costs, random: rand.New(rand.NewPCG(setup.Seed, 1))}
	s.popularity = popularity(setup.Companies, setup.Skew)
	s.keptFor = max(setup.Busy.Seconds(), keptFor(s.rates(), setup.LiveCompanies, setup.Idle.Seconds()))
	for i := range setup.Instances {
		in := &instance{processors: s.station(fmt.Sprintf("processors of instance %d", i+1), setup.InstanceCores)}
		for l := range setup.Lanes {
			size := (setup.Connections + l) / setup.Lanes
			in.lanes = append(in.lanes, newLane(fmt.Sprintf("connections of lane %d of instance %d", l+1, i+1), size))
		}
		s.instances = append(s.instances, in)
	}
	if setup.CoordinatorCores > 0 {
		s.coordinator = s.station("processors of the coordinator", setup.CoordinatorCores)
	}
	for n := range setup.Nodes {
		s.nodes = append(s.nodes, s.station(fmt.Sprintf("processors of node %d", n+1), setup.NodeCores))
		s.logs = append(s.logs, &flusher{clock: &s.clock, seconds: costs.Flush.Seconds()})
	}
	return s
}

func (s *simulation) station(name string, servers int) *station {
	return &station{clock: &s.clock, name: name, servers: servers}
}

// rates are the requests per second of each company that one instance serves. By company,
// it is the first instance, which has the company with most requests.
func (s *simulation) rates() []float64 {
	var rates []float64
	for i := range s.setup.Companies {
		switch {
		case s.setup.Routing == InTurn:
			rates = append(rates, s.share(i)*s.setup.Rate/float64(s.setup.Instances))
		case i%s.setup.Instances == 0:
			rates = append(rates, s.share(i)*s.setup.Rate)
		}
	}
	return rates
}

// share is the company's part of all requests.
func (s *simulation) share(company int) float64 {
	if company == 0 {
		return s.popularity[0]
	}
	return s.popularity[company] - s.popularity[company-1]
}

// popularity is the cumulative Zipf distribution.
func popularity(companies int, skew float64) []float64 {
	sums := make([]float64, companies)
	total := 0.0
	for i := range sums {
		total += math.Pow(float64(i+1), -skew)
		sums[i] = total
	}
	for i := range sums {
		sums[i] /= total
	}
	return sums
}

// keptFor is how long the state of a company is kept after its last request, if no more
// than limit are kept and none longer than idle: Che's approximation of a cache that drops
// the least recently used.
func keptFor(rates []float64, limit int, idle float64) float64 {
	if live(rates, idle) <= float64(limit) {
		return idle
	}
	low, high := 0.0, idle
	for range 60 {
		if middle := (low + high) / 2; live(rates, middle) < float64(limit) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// live is how many companies have had a request within the time.
func live(rates []float64, seconds float64) float64 {
	sum := 0.0
	for _, r := range rates {
		sum += 1 - math.Exp(-r*seconds)
	}
	return sum
}

// arrive begins a request, and the next one later.
func (s *simulation) arrive() {
	s.clock.after(s.random.ExpFloat64()/s.setup.Rate, func() {
		s.begin()
		s.arrive()
	})
}

// request is one of a company on its way.
type request struct {
	began    float64
	company  int
	kind     kind
	instance *instance
}

func (s *simulation) begin() {
	r := request{began: s.clock.now, company: sort.SearchFloat64s(s.popularity, s.random.Float64())}
	r.company = min(r.company, s.setup.Companies-1)
	r.instance = s.route(r.company)
	switch p := s.random.Float64(); {
	case p < s.setup.Reads:
		r.kind = read
	case p < s.setup.Reads+s.setup.Writes:
		r.kind = write
	default:
		r.kind = list
	}
	seconds := s.take(s.costs.Service[r.kind])
	if !s.isLive(r) {
		seconds += s.take(s.costs.Load)
	}
	r.instance.processors.visit(seconds, func() { s.query(r) })
}

// route is the instance that serves the next request, which is the company's.
func (s *simulation) route(company int) *instance {
	s.arrived++
	if s.setup.Routing == ByCompany {
		return s.instances[company%len(s.instances)]
	}
	return s.instances[s.arrived%len(s.instances)]
}

// isLive reports whether the instance has the state of the request's company.
func (s *simulation) isLive(r request) bool {
	rate := s.share(r.company) * s.setup.Rate
	if s.setup.Routing == InTurn {
		rate /= float64(s.setup.Instances)
	}
	return s.random.Float64() >= math.Exp(-rate*s.keptFor)
}

// query runs the statements of the request on a connection.
func (s *simulation) query(r request) {
	lane := r.instance.lane(r.company)
	lane.acquire(r.company, func(c *connection) {
		binding := s.bind(c, r.company)
		at := s.nodes[s.node(r)]
		var steps []step
		switch {
		case s.coordinator == nil:
			steps = []step{{at, s.take(s.costs.Database[r.kind]) + binding}}
		case s.costs.Coordinator[r.kind] == 0: // directly to the worker
			steps = []step{{at, s.take(s.costs.Worker[r.kind]) + binding}}
		default:
			steps = []step{{s.coordinator, s.take(s.costs.Coordinator[r.kind]) + binding}, {at, s.take(s.costs.Worker[r.kind])}}
		}
		for _, step := range steps {
			lane.needed += step.seconds
		}
		s.walk(steps, func() {
			s.commit(r, lane, func() {
				lane.release(c)
				s.latencies = append(s.latencies, s.clock.now-r.began)
			})
		})
	})
}

// node is where the data of the request's company are.
func (s *simulation) node(r request) int { return r.company % len(s.nodes) }

// bind is how long it takes to make the connection that of the company.
func (s *simulation) bind(c *connection, company int) (seconds float64) {
	if c.isWorn(company, s.costs.Served) {
		c.replace()
		seconds += s.take(s.costs.Connect)
	}
	isSame, hasPrepared := c.bind(company, s.costs.Kept)
	if !isSame {
		seconds += s.take(s.costs.Switch)
	}
	if !hasPrepared {
		seconds += s.take(s.costs.Prepare)
	}
	return seconds
}

// step is a time at a station.
type step struct {
	at      *station
	seconds float64
}

// walk takes the steps one after the other.
func (s *simulation) walk(steps []step, done func()) {
	if len(steps) == 0 {
		done()
		return
	}
	steps[0].at.visit(steps[0].seconds, func() { s.walk(steps[1:], done) })
}

// commit flushes the log if the request writes.
func (s *simulation) commit(r request, l *lane, done func()) {
	if r.kind != write {
		done()
		return
	}
	l.needed += s.costs.Flush.Seconds()
	s.logs[s.node(r)].commit(done)
}

// take is a random time with the mean.
func (s *simulation) take(mean time.Duration) float64 {
	return s.random.ExpFloat64() * mean.Seconds()
}
