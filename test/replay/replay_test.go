package replay

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

const connections = 4

// start runs a service on an empty database until the test ends.
func start(t *testing.T) *Caller {
	t.Helper()
	service, err := Start(t.Context(), pgtest.EmptyURL(t), connections, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := service.Stop(); err != nil {
			t.Error(err)
		}
	})
	return NewCaller(service.URL, service.Token, connections)
}

// startSmall runs a service that has the sales of the small file.
func startSmall(t *testing.T) (*Caller, *Sales) {
	t.Helper()
	caller, sales := start(t), smallSales(t, 0)
	if err := Send(t.Context(), caller, sales, connections, unseen); err != nil {
		t.Fatal(err)
	}
	return caller, sales
}

func unseen(string, int) func(int) { return func(int) {} }

// contract 4.39, 4.43, 10.78, 10.79, 10.81, 10.82, 10.84
func TestAFileOfSalesIsThereAgainToTheLastDigit(t *testing.T) {
	caller, sales := startSmall(t)
	var pieces atomic.Int64
	found, differences, err := Reconcile(t.Context(), caller, sales, func(string, int) func(int) {
		return func(n int) { pieces.Add(int64(n)) }
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, difference := range differences {
		t.Error(difference)
	}
	got := fmt.Sprintf("%d clients, %d invoices, %d lines, %s", found.Clients, found.Invoices, found.Lines, found.Total.FloatString(4))
	if want := "4 clients, 8 invoices, 16 lines, 1304.9170"; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
	if pieces.Load() != 4+8+16 {
		t.Errorf("the progress counted %d records read, want %d", pieces.Load(), 4+8+16)
	}
}

func TestALineThatIsChangedInTheServiceIsNoticed(t *testing.T) {
	caller, sales := startSmall(t)
	var list struct{ Items []struct{ ID int64 } }
	if _, err := caller.send(t.Context(), http.MethodGet, caller.base+"/rest/invoice-items?name=paper+clip", nil, &list); err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("%s/rest/invoice-items/%d", caller.base, list.Items[0].ID)
	if _, err := caller.send(t.Context(), http.MethodPatch, address, []byte(`{"price":"0.0011"}`), &struct{}{}); err != nil {
		t.Fatal(err)
	}
	_, differences, err := Reconcile(t.Context(), caller, sales, unseen)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"invoice 700002: total_price: 13.007700, the file has 13.007000",
		"invoice 700002, line 2: price: 0.001100, the file has 0.001000",
		"invoice 700002, line 2: total_price: 0.007700, the file has 0.007000",
		"the sum of total_price of all invoices: 1304.9177, the file has 1304.9170",
		"the sum of total_price of all lines: 1304.9177, the file has 1304.9170",
	}
	if !slices.Equal(differences, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(differences, "\n"), strings.Join(want, "\n"))
	}
}

func TestADatabaseThatIsNotEmptyIsLeftAlone(t *testing.T) {
	url := pgtest.URL(t)
	if _, err := Start(t.Context(), url, connections, slog.New(slog.DiscardHandler)); !errors.Is(err, ErrNotEmpty) {
		t.Fatalf("the error is %v, want %v", err, ErrNotEmpty)
	}
	var users int
	if err := pgtest.Pool(t, url).QueryRow(t.Context(), "select count(*) from users").Scan(&users); err != nil {
		t.Fatal(err)
	}
	if users != 0 {
		t.Errorf("%d users have been added, want none", users)
	}
}

func TestARefusedInvoiceIsNamed(t *testing.T) {
	sales := smallSales(t, 0)
	sales.Invoices[5].Date = "tomorrow"
	err := Send(t.Context(), start(t), sales, connections, unseen)
	if err == nil || !strings.Contains(err.Error(), "invoice 700006") || !strings.Contains(err.Error(), `"field":"date"`) {
		t.Errorf("the error is %v, want one that names invoice 700006 and its date", err)
	}
}
