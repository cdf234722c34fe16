//go:build full

package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The service runs behind a proxy that removes a path prefix.
//
// contract 1.58
func TestDocsPageShowsAndExecutesOperations(t *testing.T) {
	s, b := startBehind(t, "/office"), open(t)
	address, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	b.checkIndex(s)
	b.authorize(s.token)
	b.checkClients()
	b.checkEvents(address.Host)
}

// openOperation opens the operation and waits until it can be executed.
func (b *tab) openOperation(operation chromedp.CSS) {
	b.t.Helper()
	b.run("open "+string(operation),
		chromedp.WaitVisible(operation),
		click(operation+" .opblock-summary-control"),
		chromedp.WaitVisible(operation+" .execute"),
	)
}

// execute executes the operation, and returns the status and the body on the page.
func (b *tab) execute(operation chromedp.CSS) (status string, body []byte) {
	b.t.Helper()
	response := operation + " .live-responses-table .response"
	b.run("execute "+string(operation),
		click(operation+" .execute"),
		chromedp.WaitVisible(response+" .highlight-code code"),
	)
	status = result(b, "read the status", chromedp.Text(response+" .response-col_status"))
	text := result(b, "read the body", chromedp.Text(response+" .highlight-code code"))
	return strings.TrimSpace(status), []byte(text)
}

// authorize enters the token on the page.
func (b *tab) authorize(token string) {
	b.t.Helper()
	const field chromedp.CSS = `input[aria-label="auth-bearer-value"]`
	b.run("open the form",
		click(".auth-wrapper .authorize"),
		chromedp.WaitVisible(field),
	)
	if n := result(b, "count the forms", chromedp.Evaluate[int](`document.querySelectorAll(".modal-ux form").length`)); n != 1 {
		b.t.Errorf("%d forms for a token are shown, want that of the bearer token alone", n)
	}
	b.run("authorize",
		enter(field, token),
		click(`form:has(input[aria-label="auth-bearer-value"]) button[type="submit"]`),
		chromedp.WaitNotPresent(field),
		click(".modal-ux .close-modal"),
		chromedp.WaitNotPresent(chromedp.CSS(".modal-ux")),
	)
}

// checkIndex opens the page and checks its groups: closed and in order.
func (b *tab) checkIndex(s proxied) {
	b.t.Helper()
	b.run("open the page",
		chromedp.Navigate(s.url+"/docs"),
		chromedp.WaitVisible(chromedp.CSS("#operations-tag-client")),
	)
	at := result(b, "read the address", chromedp.Location())
	title := result(b, "read the title", chromedp.Text(chromedp.CSS("#reference .info .title")))
	if at != s.url+"/docs" || !strings.HasPrefix(title, "Kontor") {
		b.t.Errorf("the page at %s is titled %q", at, title)
	}
	groups := result(b, "read the groups", chromedp.Evaluate[[]string](`[...document.querySelectorAll(".opblock-tag")].map(g => g.dataset.tag)`))
	want := strings.Fields("user status deal-type invoice-type performer client contact deal offer contract invoice invoice-items payment report rule rule-trial token me service")
	if !slices.Equal(groups, want) {
		b.t.Errorf("the groups are %q, want %q", groups, want)
	}
	if n := result(b, "count the operations", chromedp.Evaluate[int](`document.querySelectorAll(".opblock").length`)); n != 0 {
		b.t.Errorf("%d operations are shown before a group is opened", n)
	}
}

// checkClients lists clients, creates one and lists them again on the page.
func (b *tab) checkClients() {
	b.t.Helper()
	const list, create chromedp.CSS = "#operations-client-listClients", "#operations-client-createClient"
	b.run("open a group",
		click("#to-operations"),
		click("#operations-tag-client"),
	)
	b.openOperation(list)
	if status, body := b.execute(list); status != "200" || len(listed(b.t, body)) != 0 {
		b.t.Errorf("the list: got %s, %s", status, body)
	}
	b.openOperation(create)
	b.run("write a body", enter(create+" textarea.body-param__text", `{"type": 1, "name": "Hotel Seeblick"}`))
	if status, body := b.execute(create); status != "200" || !strings.Contains(string(body), `"Hotel Seeblick"`) {
		b.t.Errorf("the creation: got %s, %s", status, body)
	}
	b.waitForList(list, "Hotel Seeblick")
}

// waitForList executes the list again and waits until it has the names: the page shows
// the previous response at first.
func (b *tab) waitForList(list chromedp.CSS, names ...string) {
	b.t.Helper()
	what := fmt.Sprintf("see %q in the list", names)
	b.run(what,
		click(list+" .execute"),
		chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			for {
				text, err := chromedp.Text(list+" .live-responses-table .response .highlight-code code")(ctx, t)
				if err != nil {
					return err
				}
				if slices.Equal(listed(b.t, []byte(text)), names) {
					return nil
				}
				if err := context.Cause(ctx); err != nil {
					return fmt.Errorf("%w; the list is %s", err, text)
				}
			}
		}),
	)
}

// listed are the names in a response with a list.
func listed(t *testing.T, body []byte) (names []string) {
	t.Helper()
	var list struct {
		Response *struct{ Items []struct{ Name string } }
	}
	if err := json.Unmarshal(body, &list); err != nil || list.Response == nil {
		t.Fatalf("not a list: %v\n%s", err, body)
	}
	for _, c := range list.Response.Items {
		names = append(names, c.Name)
	}
	return names
}
