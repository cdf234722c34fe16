package load

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/bench/data"
)

func TestTimesAreOfTheKindThatWasAskedFor(t *testing.T) {
	kinds := []*Kind{{uris: []string{"/a"}}, {uris: []string{"/b"}}, {uris: []string{"/c"}}}
	took := map[string]time.Duration{"/a": time.Millisecond, "/b": 2 * time.Millisecond, "/c": 4 * time.Millisecond}
	from := inTurn(kinds)
	times := make([][]time.Duration, snapshotReaders)
	for connection := range times {
		for n := range 30 + connection {
			r, _ := from(connection, n)
			times[connection] = append(times[connection], took[r.URI])
		}
	}
	w := &window{reads: make([][]time.Duration, len(kinds)), writes: []int64{0, 1}}
	w.add(times, 2, []int64{10, 20}, []int64{15, 21})
	w.add(times, 3, []int64{15, 30}, []int64{15, 32})
	if w.seconds != 5 || !slices.Equal(w.writes, []int64{5, 4}) {
		t.Errorf("%v s, writes %v", w.seconds, w.writes)
	}
	for n, k := range kinds {
		s := w.read(n)
		each := milliseconds(took[k.uris[0]])
		if s.Requests < 2*80 || s.P50 != each || s.P99 != each {
			t.Errorf("%s: %+v", k.uris[0], s)
		}
		if want := snapshotReaders / took[k.uris[0]].Seconds(); s.Rate() < 0.999*want || s.Rate() > 1.001*want {
			t.Errorf("%s: %v in a second, want %v", k.uris[0], s.Rate(), want)
		}
	}
}

func TestWritersShareNoRecord(t *testing.T) {
	k := &Kind{Name: "pay", way: turns, method: "PUT", uris: []string{"/1", "/2", "/3", "/4", "/5"}, bodies: []string{"a", "b"}}
	const each = 2
	from := overAll((&stream{kind: k}).source(&state{turn: make([]int, len(k.uris))}), len(k.uris), each)
	by := map[string]int{}
	for connection := range each {
		said := map[string][]string{}
		for n := range 6 {
			r, ok := from(connection, n)
			if other, taken := by[r.URI]; !ok || taken && other != connection {
				t.Errorf("writer %d changes %s of writer %d", connection, r.URI, other)
			}
			by[r.URI] = connection
			said[r.URI] = append(said[r.URI], r.Body)
		}
		if len(said) != 2 {
			t.Errorf("writer %d changes %d records, want 2", connection, len(said))
		}
		for uri, bodies := range said {
			if !slices.Equal(bodies, []string{"b", "a", "b"}) {
				t.Errorf("%s: %v", uri, bodies)
			}
		}
	}
}

func TestAWriterThatFailsEndsTheReading(t *testing.T) {
	answers := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if answers++; answers == 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	c, err := dial(server.Listener.Addr().String(), "token")
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	w := newWriters([]*Kind{{Name: "client-create"}})
	ctx, cancel := context.WithCancelCause(t.Context())
	w.all.Go(func() {
		w.write(ctx, cancel, c, 0, 0, func(int, int) (Request, bool) { return Request{Method: "POST", URI: "/"}, true })
	})
	w.all.Wait()
	if ctx.Err() == nil || !strings.Contains(context.Cause(ctx).Error(), "client-create: POST /: status 503") {
		t.Errorf("the cause is %v", context.Cause(ctx))
	}
	if counts := w.counts(); !slices.Equal(counts, []int64{2}) {
		t.Errorf("%v were written", counts)
	}
}

func TestWhatAnOldSnapshotCostsIsAGoal(t *testing.T) {
	kinds := []*Kind{{Name: "pay"}}
	r := &reading{bench: &bench{Options: Options{Window: time.Second}}, names: []string{"fast", "slow", "never"}, writers: newWriters(kinds)}
	ms := func(n, times int) []time.Duration {
		return slices.Repeat([]time.Duration{time.Duration(n) * time.Millisecond}, times)
	}
	before := &window{seconds: 1, reads: [][]time.Duration{ms(1, 80), ms(10, 80), nil}, writes: []int64{100}}
	during := &window{seconds: 2, reads: [][]time.Duration{ms(2, 60), ms(25, 60), ms(1, 60)}, writes: []int64{50}}
	after := &window{seconds: 1, reads: [][]time.Duration{ms(1, 80), ms(8, 80), nil}, writes: []int64{90}}
	report := &Report{Snapshot: r.held(time.Minute, before, during, after)}
	var b strings.Builder
	report.writeSnapshot(&b)
	report.WriteGoals(&b)
	for _, want := range []string{
		"slow                   |      800   10.00   10.00 |      320   25.00   25.00 |     1000    8.00    8.00 |  0.40\n",
		"all reads              |      160    1.00   10.00 |       90    2.00   25.00 |      160    1.00    8.00 |  0.56\n",
		"all writes             |      100       -       - |       25       -       - |       90       -       - |  0.25\n",
		"MISSED: reads beside an old snapshot over those before it, at least 0.50: never 0.00, slow 0.40\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

func TestSomeNewClientsMatchTheCommonWord(t *testing.T) {
	k := &Kind{Name: "client-create", way: created, method: "POST", uris: []string{"/"}, bodies: withCommonWord(`{"name":"Bench %s GmbH"}`)}
	from := (&stream{kind: k}).source(&state{turn: []int{0}})
	const rounds = 4
	matching := 0
	for n := range rounds * len(k.bodies) {
		if r, _ := from(1, n); strings.Contains(r.Body, " "+data.CommonWord+" GmbH") {
			matching++
		}
	}
	if matching != rounds {
		t.Errorf("%d of %d match, want %d", matching, rounds*len(k.bodies), rounds)
	}
}
