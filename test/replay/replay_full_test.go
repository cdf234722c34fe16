//go:build full

package replay

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/rest"
	"github.com/kontor-crm/kontor/test/testserver"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

const connections = 8

const (
	fileVariable = "KONTOR_REPLAY_FILE"     // names a file to read instead of the small one
	sizeVariable = "KONTOR_REPLAY_INVOICES" // how many of its first invoices are sent; all without it
)

// salesOf are the sales of the file, up to a number of invoices.
func salesOf(t *testing.T, invoices string) *Sales {
	t.Helper()
	file, err := os.Open(cmp.Or(os.Getenv(fileVariable), "testdata/small.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	limit, err := strconv.Atoi(cmp.Or(invoices, "0"))
	if err != nil {
		t.Fatal(err)
	}
	sales, err := Read(file, limit)
	if err != nil {
		t.Fatal(err)
	}
	return sales
}

// contract 4.39, 4.43, 10.78, 10.79, 10.81, 10.82, 10.84, 10.108
func TestReplayReadsBackWhatItSent(t *testing.T) {
	t.Parallel()
	running := testserver.On(t, pgtest.URL(t))
	service := rest.Client{URL: running.URL, Token: testserver.Token(t, running.Service, "admin", user.Admin)}
	sales := salesOf(t, os.Getenv(sizeVariable))
	want, err := sales.Content()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the file has %s", want.Totals)
	if err := send(t.Context(), service, sales); err != nil {
		t.Fatal(err)
	}
	got, err := readBack(t.Context(), service)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("content (-file +service):\n%s", diff)
	}
	if err := recompute(t.Context(), service); err != nil {
		t.Error(err)
	}
	if os.Getenv(fileVariable) != "" {
		return
	}
	// 128.73 + 13.007 + 1528.50 + 25 - 80.55 + 0 - 310.06 + 0.29
	if got := want.Totals.String(); got != "4 clients, 8 invoices, 16 lines, 1304.9170 in total" {
		t.Errorf("the file has %s", got)
	}
	var items struct{ Items []struct{ ID int64 } }
	if _, err := service.Call(t.Context(), http.MethodGet, "/rest/invoice-items?name=paper+clip", nil, &items); err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/rest/invoice-items/%d", items.Items[0].ID)
	if _, err := service.Call(t.Context(), http.MethodPatch, path, fields{"price": "0.0011"}, nil); err != nil {
		t.Fatal(err)
	}
	if got, err = readBack(t.Context(), service); err != nil {
		t.Fatal(err)
	}
	changed := got.Invoices["700002"]
	if got.Totals.Sum != "1304.9177" || !strings.Contains(changed, "PAPER CLIP: 7.000000 x 0.001100 = 0.007700") || changed == want.Invoices["700002"] {
		t.Errorf("after a change of a line, the service has %s and\n%s", got.Totals, changed)
	}
}
