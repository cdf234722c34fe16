package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// The server starts with the first benchmark that asks for it, and so not at
// all in a run of tests only.
func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// connections is how many requests are on their way at once in the parallel
// benchmarks, for each processor.
const connections = 4

// BenchmarkCreateInvoice creates an invoice of five lines, with a deal of its
// own and the entry in that deal's history.
func BenchmarkCreateInvoice(b *testing.B) {
	s := start(b)
	s.post(b, "/rest/status", fields{"name": "Open", "default": true})
	performer := s.post(b, "/rest/performer", fields{"name": "Kontor", "vat_use": true, "vat_percent": "20"})
	kind := s.post(b, "/rest/invoice-type", fields{"title": "Invoice"})
	client := s.post(b, "/rest/client", fields{"name": "Acme", "type": 1})
	var items []fields
	for n := range 5 {
		items = append(items, fields{"name": fmt.Sprintf("Oak stool, size %d", n), "units": "pcs", "items_count": 2.5, "item_price": "19.9900"})
	}
	var last atomic.Int64
	measure(b, func() error {
		_, err := s.create("/rest/invoice", fields{
			"number": fmt.Sprintf("R-%07d", last.Add(1)), "date": "2024-03-04", "performer_id": performer,
			"client_id": client, "type_id": kind, "items": items,
		})
		return err
	})
}

// BenchmarkListClients reads the first page of a list of some thousand clients,
// as a request without parameters has it.
func BenchmarkListClients(b *testing.B) {
	s := start(b)
	for n := range 3000 {
		s.post(b, "/rest/client", fields{
			"name": fmt.Sprintf("Client %d of %d", n*7919%3000, 3000), "type": 1 + n%2,
			"email": fmt.Sprintf("office-%d@example.org", n), "phone": "+49 40 555 01", "real_address": "Hafenstraße 1, 20457 Hamburg",
		})
	}
	measure(b, func() error {
		_, err := s.send(http.MethodGet, "/rest/client", nil)
		return err
	})
}

// measure runs a request one after the other, and then several at once.
func measure(b *testing.B, request func() error) {
	b.Helper()
	b.Run("sequential", func(b *testing.B) {
		for b.Loop() {
			if err := request(); err != nil {
				b.Fatal(err)
			}
		}
		reportRate(b)
	})
	b.Run("parallel", func(b *testing.B) {
		b.SetParallelism(connections)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := request(); err != nil {
					b.Error(err)
					return
				}
			}
		})
		reportRate(b)
	})
}

func reportRate(b *testing.B) {
	b.Helper()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
}

// service is a running Kontor with a token for it.
type service struct {
	url, token string
	client     *http.Client
}

func start(b *testing.B) *service {
	b.Helper()
	config := bootstrap.Defaults(pgtest.URL(b))
	if err := config.Validate(); err != nil {
		b.Fatal(err)
	}
	// Requests are logged as in production, though nobody reads it.
	unread, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { unread.Close() })
	built, closeAll, err := bootstrap.NewService(b.Context(), config, slog.New(slog.NewJSONHandler(unread, nil)))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(closeAll)
	server := httptest.NewServer(built.Handler)
	b.Cleanup(server.Close)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1024}}
	b.Cleanup(client.CloseIdleConnections)
	return &service{url: server.URL, token: admit(b, built.Commands), client: client}
}

func admit(b *testing.B, commands bootstrap.Commands) (token string) {
	b.Helper()
	if _, err := commands.Users.Add(b.Context(), user.Attributes{
		Username: optional.Some("bench"),
		Role:     optional.Some(user.Admin),
	}); err != nil {
		b.Fatal(err)
	}
	secret, _, err := commands.Tokens.Issue(b.Context(), "bench", time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	return secret.Token
}

// fields is the body of a write.
type fields map[string]any

// post creates a record that the benchmark needs.
func (s *service) post(b *testing.B, path string, record fields) json.Number {
	b.Helper()
	id, err := s.create(path, record)
	if err != nil {
		b.Fatal(err)
	}
	return id
}

func (s *service) create(path string, record fields) (id json.Number, err error) {
	body, err := json.Marshal(record)
	if err != nil {
		return "", err
	}
	text, err := s.send(http.MethodPost, path, body)
	if err != nil {
		return "", err
	}
	var created struct{ Response struct{ ID json.Number } }
	err = json.Unmarshal(text, &created)
	return created.Response.ID, err
}

// send returns the body of a success; any other answer is an error.
func (s *service) send(method, path string, body []byte) ([]byte, error) {
	request, err := http.NewRequest(method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s: %s\n%s", method, path, response.Status, text)
	}
	return text, nil
}
