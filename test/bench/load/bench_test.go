package load

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/bench/baseline"
	"github.com/kontor-crm/kontor/test/bench/data"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

var small = pgtest.NewEmptyFixture(func(t testing.TB, url string) (none struct{}) {
	t.Helper()
	quiet := func(string, int) func(int) { return func(int) {} }
	if err := data.Fill(t.Context(), url, data.Options{Clients: 200, Seed: 1, Variant: data.Spread}, 2, quiet); err != nil {
		t.Fatal(err)
	}
	return none
})

// newBench has a service and the baseline server in this process, on a small database.
func newBench(t *testing.T) *bench {
	t.Helper()
	url, _ := small.URL(t)
	d := &database{label: "small", url: url}
	if err := d.read(t.Context()); err != nil {
		t.Fatal(err)
	}
	config := bootstrap.Defaults(d.url)
	if err := config.Validate(); err != nil {
		t.Fatal(err)
	}
	service, closeService, err := bootstrap.NewService(t.Context(), config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeService)
	secret, _, err := service.Commands.Tokens.Issue(t.Context(), "admin", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	other, err := baseline.New(t.Context(), d.url, secret.Token, os.DirFS("../../../adapters/postgres/pgread/testdata"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	serve := func(name string, handler http.Handler) *target {
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		target := newTarget(name, d)
		target.pid, target.token, target.address = os.Getpid(), secret.Token, strings.TrimPrefix(server.URL, "http://")
		target.issue = func(ctx context.Context) (string, error) {
			another, _, err := service.Commands.Tokens.Issue(ctx, "admin", time.Hour)
			return another.Token, err
		}
		return target
	}
	programs := []*target{serve("a", service.Handler), serve("a", service.Handler)}
	for _, program := range programs {
		if err := program.findWalk(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return &bench{
		Options: Options{
			Kinds: Kinds, Connections: []int{2, 4}, Rounds: 1, Duration: 8 * time.Millisecond, Output: io.Discard,
		},
		report: &Report{}, databases: []*database{d, d}, programs: programs, other: serve("baseline", other),
	}
}

func TestBaselineAnswersWithTheBytesOfTheService(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, k := range Kinds {
		if !k.Baseline || k.IsWrite() {
			continue
		}
		for _, path := range k.paths(b.program()) {
			for range 2 { // a search differs from its repetition
				want, got := body(t, b.program(), path), body(t, b.other, path)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: GET %s (-service +baseline):\n%s", k.Name, path, diff)
				}
			}
		}
	}
}

func body(t *testing.T, target *target, path string) string {
	t.Helper()
	c, err := dial(target)
	if err != nil {
		t.Fatal(err)
	}
	defer c.conn.Close()
	var body bytes.Buffer
	if err := c.send(request{method: http.MethodGet, path: path}, &body); err != nil {
		t.Fatal(err)
	}
	return body.String()
}

func TestBenchMeasuresEveryKind(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var output bytes.Buffer
	b.Output = &output
	if err := errors.Join(b.compareAll(t.Context()), b.measureGrowth(t.Context()), b.measureWriters(t.Context())); err != nil {
		t.Fatal(err)
	}
	if len(b.report.Comparisons) != 2*len(Kinds)-1 || len(b.report.Growth) != len(Kinds)-5 || len(b.report.Writers) != 3 {
		t.Errorf("%d comparisons, %d growths, %d writers", len(b.report.Comparisons), len(b.report.Growth), len(b.report.Writers))
	}
	for _, c := range b.report.Comparisons {
		if c.A.Rate <= 0 || c.A.P50 <= 0 || c.A.P99 < c.A.P50 {
			t.Errorf("%s: %+v", c.Kind, c.A)
		}
	}
	for _, k := range Kinds {
		if !strings.Contains(output.String(), "\n"+k.Name+" ") {
			t.Errorf("%s is not printed", k.Name)
		}
	}
}

func TestBenchMeasuresInstancesBehindHaproxy(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("haproxy"); err != nil {
		t.Skip("haproxy is not installed")
	}
	b := newBench(t)
	var output bytes.Buffer
	b.Output = &output
	var err error
	if b.Kinds, err = KindsNamed(instanceKinds); err != nil {
		t.Fatal(err)
	}
	targets := b.programs[:1:1]
	for _, n := range []int{1, 2} {
		proxied, stop, err := startProxy(t.Context(), "../../../deploy/haproxy.cfg", b.programs[:n])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stop)
		targets = append(targets, proxied)
	}
	if err := b.compareInstances(t.Context(), targets); err != nil {
		t.Fatal(err)
	}
	for _, kind := range instanceKinds {
		for _, name := range []string{"a", "haproxy, 1", "haproxy, 2"} {
			row := fmt.Sprintf("\n%-14s %4d %-11s |", kind, b.Connections[0], name)
			if !strings.Contains(output.String(), row) {
				t.Errorf("%q is not printed:\n%s", row, &output)
			}
		}
	}
}

func TestBenchMeasuresQuickRequestsBesideSlowOnes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var output bytes.Buffer
	b.Output, b.Mixed, b.ProgramB, b.other = &output, 200*time.Millisecond, "b", b.programs[0]
	if err := b.measureMixed(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, m := range b.report.Mixed {
		kind := append(slices.Clone(quickKinds), newTokenKind)[i/2]
		if m.Kind != kind || m.Idle.P99 <= 0 || m.Loaded.P99 <= 0 || m.Ratio <= 0 || m.Slow <= 0 {
			t.Errorf("%s: %+v", kind, m)
		}
	}
	if got, want := len(b.report.Mixed), 2*(len(quickKinds)+1); got != want || strings.Count(output.String(), "\nclient-read") != 4 {
		t.Errorf("%d results instead of %d:\n%s", got, want, &output)
	}
}

func TestBenchReportsWhatIsSlowerInProgramB(t *testing.T) {
	var output bytes.Buffer
	b := &bench{Options: Options{ProgramB: "b", Output: &output}, report: &Report{Comparisons: []Comparison{
		{Kind: "same", Connections: 16, Rate: 0.95}, {Kind: "slower", Connections: 16, Rate: 0.94},
	}}}
	b.printSlower()
	if got, want := strings.TrimSpace(output.String()), "Program B is more than 5 % slower in: slower/16 0.94"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestQuantileIsTheNearestRank(t *testing.T) {
	var values []int
	for n := range 100 {
		values = append(values, n+1)
	}
	for q, want := range map[float64]int{0: 1, 0.005: 1, 0.5: 50, 0.99: 99, 0.991: 100, 1: 100} {
		if got := Quantile(values, q); got != want {
			t.Errorf("quantile %v is %d, want %d", q, got, want)
		}
	}
	if got := []float64{Median(nil), Median([]float64{3, 1, 2}), Median([]float64{4, 1, 3, 2})}; !slices.Equal(got, []float64{0, 2, 2.5}) {
		t.Errorf("medians are %v", got)
	}
}

func TestRatioComparesNeighbouringRounds(t *testing.T) {
	rates := func(each ...float64) (samples []Sample) {
		for _, rate := range each {
			samples = append(samples, Sample{Rate: rate})
		}
		return samples
	}
	if got := ratio(rates(500, 50, 5), rates(1000, 100, 10), Sample.rate); got != 0.5 {
		t.Errorf("the ratio is %v, want 0.5", got)
	}
	if got := ratio(rates(1), nil, Sample.rate); got != 0 {
		t.Errorf("without a reference it is %v, want 0", got)
	}
}

func TestUsageIsReadFromProc(t *testing.T) {
	s, err := readStat([]byte("42 (a) b) S 7 1 1 0 -1 0 0 0 0 0 150 50 30 20 20 0 9 0 0 0 0"))
	if want := (stat{own: 2 * time.Second, children: 500 * time.Millisecond, parent: 7}); err != nil || s != want {
		t.Errorf("%+v, %v, want %+v", s, err, want)
	}
	if _, err := readStat([]byte("42 (a) S 7")); err == nil {
		t.Error("half a line is read")
	}
	child := exec.CommandContext(t.Context(), "sleep", "60") // until the test ends
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Wait() }) // reports the kill
	if children := childrenOf(os.Getpid()); !slices.Contains(children, child.Process.Pid) {
		t.Errorf("%d is none of the children %v", child.Process.Pid, children)
	}
	if got := memoryIn("Name:\tx\nVmHWM:\t   2048 kB\nThreads:\t3\n", PeakResident); got != 2 {
		t.Errorf("%v MB, want 2", got)
	}
}

func TestPlotIsSVGWithALineForEachKind(t *testing.T) {
	var picture bytes.Buffer
	err := Plot(&picture, []Growth{
		{Kind: "fast & flat", Clients: []int64{10_000, 1_000_000}, One: []Sample{{P50: 0.5}, {P50: 0.5}}},
		{Kind: "slow", Clients: []int64{10_000, 100_000, 1_000_000}, One: []Sample{{P50: 1}, {P50: 10}, {P50: 100}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	svg := picture.String()
	if err := xml.Unmarshal(picture.Bytes(), &struct{ XMLName xml.Name }{}); err != nil {
		t.Errorf("%v in\n%s", err, svg)
	}
	// The axes go from 10,000 to 1,000,000 and from 0.1 to 100.
	for _, want := range []string{`points="60.0,280.0 320.0,160.0 580.0,40.0"`, "fast &amp; flat", ">1000000<", ">0.1<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is missing in\n%s", want, svg)
		}
	}
	if strings.Index(svg, ">slow<") > strings.Index(svg, ">fast &amp; flat<") {
		t.Error("the names are not in the order of the last latencies")
	}
	if err := Plot(io.Discard, nil); err == nil {
		t.Error("nothing is plotted")
	}
}
