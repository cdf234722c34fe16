package api_test

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/test/pgtest"
)

// extension builds the program of test/extension and returns its path.
func extension(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "extension")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-C", "../extension", "-buildvcs=false", "-ldflags=-w", "-o", file, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("build test/extension: %v\n%s", err, out)
	}
	return file
}

// contract 1.91
func TestExtensionIsKontorWithItsRulesAndReactions(t *testing.T) {
	t.Parallel()
	kontor := program{t, extension(t), pgtest.EmptyURL(t)}
	if got := kontor.run("--version"); !strings.Contains(got, "kontor version devel") {
		t.Errorf("--version prints %s", got)
	}
	kontor.run("migrate up")
	kontor.run("user add --username mira --role admin")
	token, _, _ := kontor.issue("")
	_, address := kontor.serve()
	mira := (&service{t: t, url: address, tokens: map[string]string{"mira": token}}).as("mira")

	mira.post("/rest/status", fields{"name": "new", "default": true}).wants(200)
	for _, name := range []string{"offered", "ordered", "delivered", "paid"} {
		mira.post("/rest/status", fields{"name": name}).wants(200)
	}
	mira.post("/rest/client", fields{"name": "Acme", "type": 1}).wants(200)
	mira.post("/rest/performer", fields{"name": "Kontor"}).wants(200)
	mira.post("/rest/invoice-type", fields{"title": "bill"}).wants(200)
	overdue := bill(fields{"date": time.Now().AddDate(0, 0, -62).Format(time.DateOnly)})
	// Not 1: a write that is repeated, such as one during the registration of the rules, skips numbers.
	created := mira.post("/rest/invoice", overdue).record()
	invoice, deal := "/rest/invoice/"+text(created["id"]), "/rest/deal/"+text(created["deal_id"])

	another := fields{"name": "Cellar", "client_id": 1}
	for _, refused := range []struct {
		path string
		body fields
		want [2]string // the rule and the field
	}{
		{"/rest/deal", another, [2]string{"no-deals-for-late-payers", "client_id"}},
		{"/rest/invoice", fieldsWith(overdue, fields{"deal_id": created["deal_id"]}), [2]string{"numbers-are-unique", "number"}},
	} {
		var problem struct {
			Errors []struct{ Rule, Field string }
		}
		mira.post(refused.path, refused.body).wants(http.StatusUnprocessableEntity).decode(&problem)
		if want := []struct{ Rule, Field string }{{refused.want[0], refused.want[1]}}; !cmp.Equal(problem.Errors, want) {
			t.Errorf("%s is refused by %v, want %v", refused.path, problem.Errors, want)
		}
	}

	if before := text(mira.get(deal).record()["status_id"]); before != "1" {
		t.Errorf("before the invoice is paid the deal has the status %s", before)
	}
	mira.patch(invoice, fields{"paid": true}).wants(200)
	if after := text(mira.get(deal).record()["status_id"]); after != "5" {
		t.Errorf("after the invoice is paid the deal has the status %s", after)
	}
	mira.post("/rest/deal", another).wants(200)
}
