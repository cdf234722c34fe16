package load

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/bench/data"
	"github.com/kontor-crm/kontor/test/bench/floor"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// filled is a site with the books of some clients.
func filled(t *testing.T, clients int) *Site {
	t.Helper()
	url := pgtest.EmptyURL(t)
	unshown := func(string, int) func(int) { return func(int) {} }
	if err := data.Fill(t.Context(), url, data.Options{Clients: clients, Seed: 1, Variant: data.Spread}, 2, unshown); err != nil {
		t.Fatal(err)
	}
	site, err := OpenSite(t.Context(), "test", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// served is a process that is this one.
func served(t *testing.T, name string, handler http.Handler) *Process {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &Process{Name: name, Address: strings.TrimPrefix(server.URL, "http://"), pid: os.Getpid()}
}

func kontorOn(t *testing.T, url string) *Process {
	t.Helper()
	config := bootstrap.Defaults(url)
	if err := config.Validate(); err != nil {
		t.Fatal(err)
	}
	service, closeAll, err := bootstrap.NewService(t.Context(), config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeAll)
	return served(t, "kontor", service.Handler)
}

// watched is a Kontor behind a tap, which has listened to what it says unasked.
func watched(t *testing.T, site *Site) *watcher {
	t.Helper()
	tap, err := newTap(site.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tap.close)
	url, err := behindTap(site.URL, tap.port())
	if err != nil {
		t.Fatal(err)
	}
	w := newWatcher(site, tap, kontorOn(t, url))
	if err := w.listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

func floorOf(t *testing.T, w *watcher) *Process {
	t.Helper()
	file, err := w.file()
	if err != nil {
		t.Fatal(err)
	}
	server, err := floor.New(t.Context(), file, w.site.URL, 4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return served(t, "floor", server)
}

// The floor learns each kind from the wire, and then answers like Kontor, byte for byte; to a write
// but for ids, times and words.
func TestTheFloorAnswersLikeKontor(t *testing.T) {
	t.Parallel()
	site := filled(t, 300)
	w := watched(t, site)
	kinds := kindsOf(site.facts)
	for _, k := range kinds {
		if err := w.learn(t.Context(), k); err != nil {
			t.Fatalf("learn %s: %v", k.Name, err)
		}
	}
	kontor, floor := kontorOn(t, site.URL), floorOf(t, w)
	for _, k := range kinds {
		st := &state{turn: make([]int, max(len(k.uris), 1))}
		if err := same(k, site, kontor, floor, st); err != nil {
			t.Error(err)
		}
	}
}

// What the floor creates is stored as what Kontor creates is, with its own word and the time of now.
func TestTheFloorStoresWhatItIsSent(t *testing.T) {
	t.Parallel()
	site := filled(t, 100)
	w := watched(t, site)
	var invoice *Kind
	for _, k := range writesOf(site.facts) {
		if k.Name == "invoice-create" {
			invoice = k
		}
	}
	invoice.bodies = invoice.bodies[:1]
	if err := w.learn(t.Context(), invoice); err != nil {
		t.Fatal(err)
	}
	word := freshWord()
	c, err := dial(floorOf(t, w).Address, site.Token)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	body := strings.Replace(invoice.bodies[0], "%s", word, 1)
	var answer []byte
	if err := c.send(Request{Method: "POST", URI: invoice.uris[0], Body: body}, &answer); err != nil {
		t.Fatal(err)
	}
	pool := pgtest.Pool(t, site.URL)
	var number, dealName string
	var lines int
	var created time.Time
	err = pool.QueryRow(t.Context(), `
select i.number, i.created_on, d.name, (select count(*) from invoice_items l where l.invoice_id = i.id)
from invoices i
join deals d on d.id = i.deal_id and d.client_id = i.client_id
order by i.id desc
limit 1`).Scan(&number, &created, &dealName, &lines)
	if err != nil {
		t.Fatal(err)
	}
	if number != word || lines != 5 || time.Since(created).Abs() > time.Minute {
		t.Errorf("stored is %s with %d lines at %s, want %s with 5 lines now", number, lines, created, word)
	}
	if !strings.Contains(string(answer), word) {
		t.Errorf("the answer does not show %s: %s", word, answer)
	}
}

func TestTheFloorLetsNobodyElseIn(t *testing.T) {
	t.Parallel()
	site := filled(t, 100)
	w := watched(t, site)
	k := kindsOf(site.facts)[0]
	if err := w.learn(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	p := floorOf(t, w)
	other := site.Token[:len(site.Token)-1] + "A"
	if strings.HasSuffix(site.Token, "A") {
		other = site.Token[:len(site.Token)-1] + "B"
	}
	for token, want := range map[string]bool{site.Token: true, other: false, "": false, "kt_x_y": false} {
		c, err := dial(p.Address, token)
		if err != nil {
			t.Fatal(err)
		}
		err = c.send(Request{Method: "GET", URI: clientList}, nil)
		c.close()
		if (err == nil) != want {
			t.Errorf("with the token %q: %v", token, err)
		}
	}
}

// A round counts every request that was answered and no other.
func TestARoundCountsItsRequests(t *testing.T) {
	served200 := 0
	p := served(t, "server", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		served200++ // one connection: one after the other
		time.Sleep(time.Millisecond)
	}))
	again := &Kind{Name: "k", uris: []string{"/"}}
	s, err := round(t.Context(), p, "token", 0, 1, 100*time.Millisecond, (&stream{kind: again}).source(nil))
	if err != nil {
		t.Fatal(err)
	}
	if s.Requests != served200 || s.Requests < 2 || s.P50 < 1 || s.P99 < s.P50 || s.Seconds < 0.1 || s.Memory == 0 {
		t.Errorf("%+v, and the server counted %d", s, served200)
	}
	failing := served(t, "server", http.NotFoundHandler())
	if _, err := round(t.Context(), failing, "token", 0, 1, time.Second, (&stream{kind: again}).source(nil)); err == nil {
		t.Error("a server that refuses everything is measured")
	}
}
