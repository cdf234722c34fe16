//go:build full

package api_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/replay"
	"github.com/kontor-crm/kontor/test/rest"
	"github.com/kontor-crm/kontor/test/testserver"
)

// contract 4.39, 4.43, 10.82, 10.79, 10.108
func TestReplayReadsBackWhatItSent(t *testing.T) {
	t.Parallel()
	running := testserver.On(t, pgtest.URL(t))
	service := rest.Client{URL: running.URL, Token: testserver.Token(t, running.Service, "admin", user.Admin)}
	sales := replay.Sample(t, os.Getenv(replay.Size))
	want, err := sales.Content()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the file has %s", want.Totals)
	if err := replay.Send(t.Context(), service, sales); err != nil {
		t.Fatal(err)
	}
	got, err := replay.ReadBack(t.Context(), service)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("content (-file +service):\n%s", diff)
	}
	if err := replay.Recompute(t.Context(), service); err != nil {
		t.Error(err)
	}
	if os.Getenv(replay.File) != "" {
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
	if got, err = replay.ReadBack(t.Context(), service); err != nil {
		t.Fatal(err)
	}
	changed := got.Invoices["700002"]
	if got.Totals.Sum != "1304.9177" || !strings.Contains(changed, "PAPER CLIP: 7.000000 x 0.001100 = 0.007700") || changed == want.Invoices["700002"] {
		t.Errorf("after a change of a line, the service has %s and\n%s", got.Totals, changed)
	}
}
