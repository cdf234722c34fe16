//go:build race || full

package chaos_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/rest"
	"github.com/kontor-crm/kontor/test/testserver"
)

const (
	clients  = 8
	invoices = 3
	requests = 60 // of each client
)

// Concurrent clients read an invoice, pay it, undo the payment and add lines, some
// of them with the condition that it has the version that they have read. Requests
// and responses are recorded with their times, and a checker looks for a sequential
// order of them in which an invoice would have given the same responses.
//
// contract 4.51, 4.53
func TestConcurrentResponsesAreLinearizable(t *testing.T) {
	t.Parallel()
	s := observe(t)
	events := record(t, s)
	if len(events) != clients*requests {
		t.Fatalf("there are %d events", len(events))
	}
	result, _ := porcupine.CheckOperationsVerbose(model, events, time.Minute)
	if result != porcupine.Ok {
		t.Errorf("the history of %d events is %s", len(events), result)
	}
	t.Logf("linearizable: %d events of %d clients on %d invoices", len(events), clients, invoices)

	// A history with a changed response is not linearizable.
	for _, change := range []func(a *Response){
		func(a *Response) { a.Seen.Paid = !a.Seen.Paid },
		func(a *Response) { a.Seen.Lines++ },
		func(a *Response) { a.Seen.Version-- },
		func(a *Response) { a.Rejected = true },
	} {
		if result := porcupine.CheckOperationsTimeout(model, withChangedRead(events, change), time.Minute); result != porcupine.Illegal {
			t.Errorf("the history with a changed response is %s", result)
		}
	}
}

// withChangedRead returns the events with one response to a read changed.
func withChangedRead(events []porcupine.Operation, change func(a *Response)) []porcupine.Operation {
	changed := append([]porcupine.Operation(nil), events...)
	for i := len(changed) / 2; i < len(changed); i++ {
		if q := changed[i].Input.(Request); q.Verb == Read {
			a := changed[i].Output.(Response)
			change(&a)
			changed[i].Output = a
			return changed
		}
	}
	return changed
}

// record runs concurrent clients and records requests and responses.
func record(t *testing.T, s *observed) []porcupine.Operation {
	t.Helper()
	s.create("status", fields{"name": "New", "color": "#1e90ff", "default": true})
	kind := s.create("invoice-type", fields{"name": "Invoice"})
	performer := s.create("performer", fields{"name": "Workshop"})
	var ids []int64
	for n := range invoices {
		client := s.create("client", fields{"type": 1, "name": "Client " + strconv.Itoa(n)})
		ids = append(ids, s.create("invoice", fields{
			"number": strconv.Itoa(n), "date": "2024-03-09", "client_id": client, "performer_id": performer, "type_id": kind,
			"items": []fields{{"name": "first", "price": 1}},
		}))
	}
	var (
		mu         sync.Mutex
		events     []porcupine.Operation
		requesting sync.WaitGroup
	)
	start := time.Now()
	for c := range clients {
		requesting.Go(func() {
			chance := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), uint64(c)))
			seen := map[int]int64{}
			for range requests {
				q := draw(chance, seen)
				e := porcupine.Operation{ClientId: c, Input: q, Call: int64(time.Since(start))}
				response, err := s.execute(q, ids[q.Invoice])
				e.Output, e.Return = response, int64(time.Since(start))
				if err != nil {
					t.Errorf("%+v: %v", q, err)
					return
				}
				if response.Seen.Version > 0 {
					seen[q.Invoice] = response.Seen.Version
				}
				mu.Lock()
				events = append(events, e)
				mu.Unlock()
			}
		})
	}
	requesting.Wait()
	return events
}

// draw draws a request; every second write requires the version that the client saw
// last.
func draw(chance *rand.Rand, seen map[int]int64) Request {
	q := Request{Invoice: chance.IntN(invoices), Verb: Verb(chance.IntN(3))}
	if q.Verb == Pay {
		q.Paid = chance.IntN(2) == 0
		if chance.IntN(2) == 0 {
			q.Expects = seen[q.Invoice]
		}
	}
	return q
}

// execute sends the request.
func (s *observed) execute(q Request, id int64) (a Response, err error) {
	address := "/rest/invoice/" + strconv.FormatInt(id, 10) + "?fields=paid,total_count"
	var got rest.Response
	switch q.Verb {
	case Read:
		got, err = s.Send(s.t.Context(), http.MethodGet, address, nil)
	case Pay:
		var required []string // the version
		if q.Expects != 0 {
			required = []string{"If-Match", fmt.Sprintf(`"%d"`, q.Expects)}
		}
		got, err = s.Send(s.t.Context(), http.MethodPut, address, fields{"paid": q.Paid}, required...)
	case AddLine:
		got, err = s.Send(s.t.Context(), http.MethodPost, "/rest/invoice-items", fields{"invoice_id": id, "name": "another", "price": 1})
	}
	switch {
	case err != nil:
		return a, err
	case got.Status == http.StatusPreconditionFailed:
		return Response{Rejected: true}, nil
	case got.Status != http.StatusOK:
		return a, fmt.Errorf("%d: %s", got.Status, got.Body)
	case q.Verb == AddLine:
		return a, nil
	}
	var record struct {
		Response struct {
			Paid       bool
			TotalCount int `json:"total_count"`
		}
	}
	if err := json.Unmarshal(got.Body, &record); err != nil {
		return a, err
	}
	version, _, _ := strings.Cut(strings.Trim(got.Header.Get("ETag"), `"`), "-")
	a.Seen = Invoice{Paid: record.Response.Paid, Lines: record.Response.TotalCount}
	a.Seen.Version, err = strconv.ParseInt(version, 10, 64)
	return a, err
}

type fields = map[string]any

// observed is a running Kontor, whose client is an administrator.
type observed struct {
	rest.Client

	t *testing.T
}

func observe(t *testing.T) *observed {
	t.Helper()
	running := testserver.On(t, pgtest.URL(t))
	return &observed{rest.Client{URL: running.URL, Token: testserver.Token(t, running.Service, "admin", user.Admin)}, t}
}

// create creates a record that the service accepts.
func (s *observed) create(path string, record fields) int64 {
	s.t.Helper()
	id, err := s.Create(s.t.Context(), "/rest/"+path, record)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}
