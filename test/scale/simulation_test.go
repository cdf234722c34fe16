package scale

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

// small is an installation in which nothing is short.
func small() Setup {
	return Setup{
		Seed: 1, Duration: 20 * time.Second, Companies: 100, Rate: 500, Skew: 0.8, Reads: 0.5, Writes: 0.2,
		Instances: 2, InstanceCores: 2, Connections: 16, Lanes: 4, LiveCompanies: 100, Idle: 10 * time.Minute,
		Nodes: 2, NodeCores: 2, CoordinatorCores: 2,
	}
}

// even costs are the same for each kind of request.
func even(service, database, coordinator time.Duration) Costs {
	all := func(d time.Duration) [kinds]time.Duration { return [kinds]time.Duration{d, d, d} }
	return Costs{Service: all(service), Database: all(database), Coordinator: all(coordinator), Worker: all(database), Kept: 100}
}

func run(t *testing.T, s Setup, c Costs) *Report {
	t.Helper()
	r, err := Run(s, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSimulationOfOneSeedIsRepeatable(t *testing.T) {
	t.Parallel()
	costs := even(time.Millisecond, time.Millisecond, time.Millisecond)
	if a, b := run(t, small(), costs), run(t, small(), costs); !reflect.DeepEqual(a, b) {
		t.Errorf("two runs report\n%+v\n%+v", a, b)
	}
	other := small()
	other.Seed = 2
	if run(t, small(), costs).Served == run(t, other, costs).Served {
		t.Error("another seed serves the same number of requests")
	}
}

func TestBottleneckIsTheResourceThatIsShort(t *testing.T) {
	t.Parallel()
	tenth := 100 * time.Microsecond
	for want, change := range map[string]func(*Setup, *Costs){
		"processors of instance":        func(_ *Setup, c *Costs) { c.Service[read], c.Service[list] = 3*time.Millisecond, 3*time.Millisecond },
		"processors of the coordinator": func(_ *Setup, c *Costs) { c.Switch = 3 * time.Millisecond },
		"processors of node":            func(_ *Setup, c *Costs) { c.Worker[read] = 6 * time.Millisecond },
		"connections of lane":           func(s *Setup, c *Costs) { s.Writes, c.Flush = 0.5, 50*time.Millisecond },
	} {
		setup, costs := small(), even(tenth, tenth, tenth)
		change(&setup, &costs)
		if got := run(t, setup, costs).Bottleneck(); !strings.HasPrefix(got.Name, want) {
			t.Errorf("want %s, got %+v", want, got)
		}
	}
}

func TestRequestsWithoutCostsOfTheCoordinatorGoToTheNode(t *testing.T) {
	t.Parallel()
	costs := even(100*time.Microsecond, 100*time.Microsecond, 0)
	costs.Switch = 3 * time.Millisecond
	r := run(t, small(), costs)
	if got := r.Bottleneck(); !strings.HasPrefix(got.Name, "processors of node") {
		t.Errorf("the bottleneck is %+v", got)
	}
	for _, of := range r.Resources {
		if of.Name == "processors of the coordinator" && of.Used != 0 {
			t.Errorf("the use of the coordinator is %.2f", of.Used)
		}
	}
}

func TestBottleneckIsFullAtItsRate(t *testing.T) {
	t.Parallel()
	setup, costs := small(), even(100*time.Microsecond, time.Millisecond, 2*time.Millisecond)
	full := run(t, setup, costs).Bottleneck().FullRate
	if math.Abs(full-1000) > 50 { // two processors that take 2 ms
		t.Errorf("full at %.0f requests/s, want 1000", full)
	}
	setup.Rate = 1.5 * full
	if r := run(t, setup, costs); r.Bottleneck().Used < 0.98 || float64(r.Served) > 1.05*full*setup.Duration.Seconds() {
		t.Errorf("beyond it %d requests are served, and the use is %.2f", r.Served, r.Bottleneck().Used)
	}
}

// The mean wait of a queue with exponential times is known: the Erlang C formula.
func TestStationWaitsAsErlangC(t *testing.T) {
	t.Parallel()
	const servers, load, service, arrivals = 3, 2.4, 0.01, 300_000
	var c clock
	s := &station{clock: &c, servers: servers}
	random := rand.New(rand.NewPCG(1, 1))
	total, served := 0.0, 0
	var arrive func()
	arrive = func() {
		began, seconds := c.now, random.ExpFloat64()*service
		s.visit(seconds, func() { total += c.now - began - seconds; served++ })
		c.after(random.ExpFloat64()*service/load, arrive)
	}
	arrive()
	c.runUntil(arrivals * service / load)
	if want, got := erlangC(servers, load)*service/(servers-load), total/float64(served); math.Abs(got/want-1) > 0.05 {
		t.Errorf("the mean wait is %.5f s, want %.5f", got, want)
	}
}

// erlangC is the probability of a wait.
func erlangC(servers int, load float64) float64 {
	term, sum := 1.0, 0.0
	for k := range servers {
		sum += term
		term *= load / float64(k+1)
	}
	last := term * float64(servers) / (float64(servers) - load)
	return last / (sum + last)
}

func TestFlushServesAllThatWait(t *testing.T) {
	t.Parallel()
	var c clock
	f := &flusher{clock: &c, seconds: 1}
	var ended []float64
	for range 3 {
		f.commit(func() { ended = append(ended, c.now) })
	}
	c.runUntil(10)
	if want := []float64{1, 2, 2}; !reflect.DeepEqual(ended, want) {
		t.Errorf("commits end at %v, want %v", ended, want)
	}
}

func TestConnectionKeepsTheStatementsOfSomeCompanies(t *testing.T) {
	t.Parallel()
	c := &connection{touched: map[int]struct{}{}}
	for i, step := range []struct {
		company             int
		isSame, hasPrepared bool
	}{{1, false, false}, {1, true, true}, {2, false, false}, {1, false, true}, {3, false, false}, {2, false, false}} {
		if isSame, hasPrepared := c.bind(step.company, 2); isSame != step.isSame || hasPrepared != step.hasPrepared {
			t.Errorf("step %d: same %v, prepared %v", i, isSame, hasPrepared)
		}
	}
}

func TestConnectionIsReplacedAfterSomeCompanies(t *testing.T) {
	t.Parallel()
	costs := even(time.Millisecond, time.Millisecond, time.Millisecond)
	costs.ConnectionMemory = 1
	kept := run(t, small(), costs)
	costs.Served, costs.Connect = 10, 50*time.Millisecond
	replaced := run(t, small(), costs)
	if kept.ConnectionMB <= 10 || replaced.ConnectionMB != 10 {
		t.Errorf("connections take %.0f MB, and %.0f MB if they are replaced after 10 companies", kept.ConnectionMB, replaced.ConnectionMB)
	}
	if replaced.P50 <= kept.P50 {
		t.Errorf("replacing connections takes no time: p50 is %s, and was %s", replaced.P50, kept.P50)
	}
}

func TestStateIsKeptForLessTimeIfTooManyAreLive(t *testing.T) {
	t.Parallel()
	rates := make([]float64, 1000)
	for i := range rates {
		rates[i] = 0.1
	}
	if got := keptFor(rates, 1000, 60); got != 60 {
		t.Errorf("without a limit it is kept for %v s, want 60", got)
	}
	if got := keptFor(rates, 500, 60); math.Abs(got-10*math.Ln2) > 0.01 {
		t.Errorf("half of them are live for %v s, want %v", got, 10*math.Ln2)
	}
}

func TestStateOfBusyCompaniesIsKeptBeyondTheLimit(t *testing.T) {
	t.Parallel()
	setup := small()
	setup.LiveCompanies = 10
	costs := even(time.Millisecond, time.Millisecond, time.Millisecond)
	limited := run(t, setup, costs).Live
	setup.Busy = time.Minute
	if busy := run(t, setup, costs).Live; math.Round(limited) != 10 || math.Round(busy) != 100 {
		t.Errorf("live are %.1f, and %.1f if all are busy, want 10 and 100", limited, busy)
	}
}

func TestRoutingByCompanyKeepsFewerOnAnInstance(t *testing.T) {
	t.Parallel()
	setup := small()
	costs := even(time.Millisecond, time.Millisecond, time.Millisecond)
	inTurn := run(t, setup, costs)
	setup.Routing = ByCompany
	byCompany := run(t, setup, costs)
	if math.Round(inTurn.Live) != 100 || math.Round(byCompany.Live) != 50 {
		t.Errorf("live are %.1f in turn and %.1f by company, want 100 and 50", inTurn.Live, byCompany.Live)
	}
}

func TestSetupNamesWhatCannotBeSimulated(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Setup){
		"lane":        func(s *Setup) { s.Lanes = 17 },
		"rate":        func(s *Setup) { s.Rate = 0 },
		"writes":      func(s *Setup) { s.Writes = 0.6 },
		"coordinator": func(s *Setup) { s.CoordinatorCores = 0 },
		"duration":    func(s *Setup) { s.Duration = 0 },
		"companies":   func(s *Setup) { s.Companies = 0 },
		"live":        func(s *Setup) { s.LiveCompanies = 0 },
	} {
		setup := small()
		change(&setup)
		if _, err := Run(setup, Costs{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
