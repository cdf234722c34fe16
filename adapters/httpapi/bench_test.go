package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// stubClients is a reader with fixed rows.
type stubClients struct{ rows *readmodel.Rows }

func (d stubClients) List(context.Context, readmodel.Query[readmodel.ClientFilter]) (*readmodel.Rows, error) {
	return d.rows, nil
}

func (d stubClients) Read(context.Context, int64, *readmodel.Selection) (*readmodel.Rows, error) {
	return d.rows, nil
}

// newStubClients has a page of clients with the default selection.
func newStubClients(b *testing.B) stubClients {
	b.Helper()
	selection, err := query.Select(readmodel.Clients, query.Parameters{})
	if err != nil {
		b.Fatal(err)
	}
	cells := map[string]string{
		"version": "1", "type": "2", "user": "7", "email": "office@example.org", "phone": "+49 40 555 01",
		"real_address": "Hafenstraße 1, 20457 Hamburg", "created_at": "2024-03-09 16:05:00.123456", "updated_at": "2024-03-09 16:05:00.123456",
	}
	rows := readmodel.NewRows(len(selection.Paths))
	rows.Total = 3000
	for n := range readmodel.Clients.PerPage {
		cells["id"], cells["name"] = strconv.Itoa(2991+n), "Client "+strconv.Itoa(n)
		for _, path := range selection.Paths {
			if text, ok := cells[path]; ok {
				rows.Append([]byte(text))
				continue
			}
			rows.Append(nil)
		}
	}
	return stubClients{rows}
}

// discardWriter discards a response.
type discardWriter struct{ header http.Header }

func (u *discardWriter) Header() http.Header { return u.header }

func (u *discardWriter) Write(b []byte) (int, error) { return len(b), nil }

func (u *discardWriter) WriteHeader(int) {}

// BenchmarkListResponse is the time of a list in this package, without server and
// database.
func BenchmarkListResponse(b *testing.B) {
	config := Config{DefaultFormat: Documented, MaxBody: 1 << 10, RequestTimeout: time.Minute}
	log := slog.New(slog.NewJSONHandler(&discardWriter{}, nil))
	handler := New(config, access.NewAuthenticator(stubTokens{}, stubTokens{}, stubTokens{}), []Resource{Clients(newStubClients(b), nil)},
		func(context.Context) error { return nil }, log)
	for name, path := range map[string]string{
		"page":    "/rest/client",
		"walk":    "/rest/client?per_page=10&sort=name&user_id=7&page=17",
		"counted": "/rest/client?expand=&count_deals=1&count_offers=1&count_contracts=1&count_invoices=1&fields=id,name,email,created_at",
	} {
		b.Run(name, func(b *testing.B) {
			request := newGet(path, "Authorization", "Bearer good", "Accept", "application/json")
			b.ReportAllocs()
			for b.Loop() {
				handler.ServeHTTP(&discardWriter{http.Header{}}, request)
			}
		})
	}
}
