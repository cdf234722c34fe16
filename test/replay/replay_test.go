package replay

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

const connections = 4

func noProgress(string, int) func(int) { return func(int) {} }

// start runs a service on an empty database until the test ends.
func start(t *testing.T) *Service {
	t.Helper()
	service, err := Start(t.Context(), pgtest.EmptyURL(t), connections, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	return service
}

// contract 4.39, 4.43, 10.78, 10.79, 10.81, 10.82, 10.84, 10.108
func TestReplayReadsBackWhatItSentAndFindsAChangedLine(t *testing.T) {
	service, sales := start(t), smallSales(t, 0)
	want, err := sales.Content()
	if err != nil {
		t.Fatal(err)
	}
	// 128.73 + 13.007 + 1528.50 + 25 - 80.55 + 0 - 310.06 + 0.29
	if got := want.Totals.String(); got != "4 clients, 8 invoices, 16 lines, 1304.9170 in total" {
		t.Errorf("the file has %s", got)
	}
	var done atomic.Int64
	progress := func(string, int) func(int) { return func(n int) { done.Add(int64(n)) } }
	if err := Send(t.Context(), service, sales, connections, progress); err != nil {
		t.Fatal(err)
	}
	got, err := ReadBack(t.Context(), service, progress)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("content (-file +service):\n%s", diff)
	}
	differences, err := Recompute(t.Context(), service, connections, noProgress)
	if err != nil || differences != nil {
		t.Errorf("the explanations differ: %v, %q", err, differences)
	}
	if done.Load() != 4+8+8 {
		t.Errorf("the progress counted %d records, want %d", done.Load(), 4+8+8)
	}

	var list struct{ Items []struct{ ID int64 } }
	if _, err := service.Call(t.Context(), http.MethodGet, "/rest/invoice-items?name=paper+clip", nil, &list); err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/rest/invoice-items/%d", list.Items[0].ID)
	if _, err := service.Call(t.Context(), http.MethodPatch, path, fields{"price": "0.0011"}, nil); err != nil {
		t.Fatal(err)
	}
	if got, err = ReadBack(t.Context(), service, noProgress); err != nil {
		t.Fatal(err)
	}
	found := strings.Join(Differences(want, got), "\n")
	for _, part := range []string{"1304.9177 in total", "invoice 700002", "PAPER CLIP: 7.000000 x 0.001100 = 0.007700"} {
		if !strings.Contains(found, part) {
			t.Errorf("%q is not among the differences\n%s", part, found)
		}
	}
}

func TestDifferencesNameTotalsAndInvoices(t *testing.T) {
	want, err := smallSales(t, 0).Content()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, want string
		change     func(c *Content)
	}{
		{"a client too many", "the service has 5 clients", func(c *Content) { c.Totals.Clients++ }},
		{"a line too few", "15 lines", func(c *Content) { c.Totals.Lines-- }},
		{"another sum", "1304.9171 in total", func(c *Content) { c.Totals.Sum = "1304.9171" }},
		{"a missing invoice", "invoice 700001: the service has \n", func(c *Content) { delete(c.Invoices, "700001") }},
		{"another invoice", "invoice 700001: the service has x\n", func(c *Content) { c.Invoices["700001"] = "x" }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := &Content{want.Totals, maps.Clone(want.Invoices)}
			test.change(got)
			if differences := Differences(want, got); len(differences) != 1 || !strings.Contains(differences[0], test.want) {
				t.Errorf("the differences are %q, want %q in one", differences, test.want)
			}
		})
	}
	if differences := Differences(want, want); differences != nil {
		t.Errorf("the same content differs: %q", differences)
	}
}

func TestStartLeavesAFilledDatabaseAlone(t *testing.T) {
	url := pgtest.URL(t)
	if _, err := Start(t.Context(), url, connections, slog.New(slog.DiscardHandler)); !errors.Is(err, ErrNotEmpty) {
		t.Fatalf("the error is %v, want %v", err, ErrNotEmpty)
	}
	var users int
	if err := pgtest.Pool(t, url).QueryRow(t.Context(), "select count(*) from users").Scan(&users); err != nil {
		t.Fatal(err)
	}
	if users != 0 {
		t.Errorf("%d users were added, want none", users)
	}
}

func TestSendNamesARejectedInvoice(t *testing.T) {
	sales := smallSales(t, 0)
	sales.Invoices[5].Date = "tomorrow"
	err := Send(t.Context(), start(t), sales, connections, noProgress)
	if err == nil || !strings.Contains(err.Error(), "invoice 700006") || !strings.Contains(err.Error(), `"field":"date"`) {
		t.Errorf("the error is %v, want one that names invoice 700006 and its date", err)
	}
}
