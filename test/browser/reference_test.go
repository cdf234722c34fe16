//go:build full

package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// shows opens the operation, unless its link has, and waits until it can be tried.
func (b *tab) shows(operation chromedp.CSS) {
	b.t.Helper()
	b.does("open "+string(operation),
		chromedp.WaitVisible(operation),
		presses(operation+" .opblock-summary-control"),
		chromedp.WaitVisible(operation+" .execute"),
	)
}

// tries carries out the operation, and gives the status and the body that the page shows.
func (b *tab) tries(operation chromedp.CSS) (status string, body []byte) {
	b.t.Helper()
	answer := operation + " .live-responses-table .response"
	b.does("execute "+string(operation),
		presses(operation+" .execute"),
		chromedp.WaitVisible(answer+" .highlight-code code"),
	)
	status = seen(b, "read the status", chromedp.Text(answer+" .response-col_status"))
	text := seen(b, "read the body", chromedp.Text(answer+" .highlight-code code"))
	return strings.TrimSpace(status), []byte(text)
}

// authorises gives the page the token.
func (b *tab) authorises(token string) {
	b.t.Helper()
	const field chromedp.CSS = `input[aria-label="auth-bearer-value"]`
	b.does("authorise",
		presses(".auth-wrapper .authorize"),
		chromedp.WaitVisible(field),
		types(field, token),
		presses(`form:has(input[aria-label="auth-bearer-value"]) button[type="submit"]`),
		chromedp.WaitNotPresent(field),
		presses(".modal-ux .close-modal"),
		chromedp.WaitNotPresent(chromedp.CSS(".modal-ux")),
	)
}

// contract 1.58
func TestDocsPageShowsAndTriesOperationsInABrowser(t *testing.T) {
	for name, prefix := range map[string]string{"at the root of a host": "", "below a path of a proxy": "/office"} {
		t.Run(name, func(t *testing.T) {
			s, b := start(t, prefix), open(t)
			address, err := url.Parse(s.url)
			if err != nil {
				t.Fatal(err)
			}
			picture := "reference" + strings.ReplaceAll(prefix, "/", "-")
			b.reads(s)
			b.picture(picture + ".png")
			b.authorises(s.token)
			b.triesClients(s, picture+"-created.png")
			b.does("look at the schemas",
				presses(".models-control"),
				presses(".models .json-schema-2020-12-accordion"),
				chromedp.WaitVisible(chromedp.CSS(".models .json-schema-2020-12-property")),
			)
			b.isQuiet(address.Host)
		})
	}
}

// reads comes to the page by the root, and wants its groups, closed and in order.
func (b *tab) reads(s service) {
	b.t.Helper()
	b.does("open the page",
		chromedp.Navigate(s.url+"/"),
		chromedp.WaitVisible(chromedp.CSS("#operations-tag-client")),
	)
	at := seen(b, "read the address", chromedp.Location())
	title := seen(b, "read the title", chromedp.Text(chromedp.CSS("#reference .info .title")))
	if at != s.url+"/docs" || !strings.HasPrefix(title, "Kontor") {
		b.t.Errorf("the page at %s is titled %q", at, title)
	}
	groups := seen(b, "read the groups", chromedp.Evaluate[[]string](`[...document.querySelectorAll(".opblock-tag")].map(g => g.dataset.tag)`))
	want := strings.Fields("user status deal-type invoice-type performer client contact deal offer contract invoice invoice-items service")
	if !slices.Equal(groups, want) {
		b.t.Errorf("the groups are %q, want %q", groups, want)
	}
	if n := seen(b, "count the operations", chromedp.Evaluate[int](`document.querySelectorAll(".opblock").length`)); n != 0 {
		b.t.Errorf("%d operations are shown before a group is opened", n)
	}
}

// triesClients lists clients, creates one and lists them again, all through the
// page, and wants that a program is told of it too.
func (b *tab) triesClients(s service, picture string) {
	b.t.Helper()
	const list, create chromedp.CSS = "#operations-client-listClients", "#operations-client-createClient"
	b.does("open a group",
		presses("#to-operations"),
		presses("#operations-tag-client"),
	)
	b.shows(list)
	if status, body := b.tries(list); status != "200" || len(listed(b.t, body)) != 0 {
		b.t.Errorf("the list is answered with %s, %s", status, body)
	}
	b.shows(create)
	b.does("write a body", types(create+" textarea.body-param__text", `{"type": 1, "name": "Hotel Seeblick"}`))
	if status, body := b.tries(create); status != "200" || !strings.Contains(string(body), `"Hotel Seeblick"`) {
		b.t.Errorf("the creation is answered with %s, %s", status, body)
	}
	b.pictureOf(string(create)+" .responses-wrapper", picture)
	b.lists(list, "Hotel Seeblick")
	if names := s.clients(b.t); !slices.Equal(names, []string{"Hotel Seeblick"}) {
		b.t.Errorf("a program is told of the clients %q", names)
	}
}

// lists executes the list again, until it is that of these names: the page shows
// the answer of before until there is a new one.
func (b *tab) lists(list chromedp.CSS, names ...string) {
	b.t.Helper()
	what := fmt.Sprintf("see %q in the list", names)
	b.does(what,
		presses(list+" .execute"),
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

func TestDocsPageLinkOpensItsOperationWithTheStoredToken(t *testing.T) {
	s, b := start(t, ""), open(t)
	const user chromedp.CSS = "#operations-user-listUsers"
	b.does("open the page", chromedp.Navigate(s.url+"/docs"))
	b.authorises(s.token)
	b.does("follow a link in another moment",
		chromedp.Navigate("about:blank"),
		chromedp.Navigate(s.url+"/docs#/user/listUsers"),
		chromedp.WaitVisible(user+" .execute"),
	)
	if status, body := b.tries(user); status != "200" || !strings.Contains(string(body), "mira") {
		t.Errorf("the list is answered with %s, %s", status, body)
	}
}

func TestDocsPageWithoutScriptsLinksTheDocument(t *testing.T) {
	s, b := start(t, ""), open(t)
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.does("open the page",
		chromedp.Navigate(s.url+"/docs"),
		chromedp.WaitVisible(chromedp.CSS(".page-note a")),
	)
	b.picture("reference-without-scripts.png")
	b.does("follow its link", chromedp.Click(chromedp.CSS(".page-note a")), chromedp.WaitVisible(chromedp.CSS("pre")))
	if text := seen(b, "read the document", chromedp.Text(chromedp.CSS("pre"))); !strings.HasPrefix(text, `{"openapi":"3.`) {
		t.Errorf("the link leads to %.100s", text)
	}
}

// listed are the names in a list as the page shows it.
func listed(t *testing.T, body []byte) (names []string) {
	t.Helper()
	var list struct {
		Response *struct{ Items []struct{ Name string } }
	}
	if err := json.Unmarshal(body, &list); err != nil || list.Response == nil {
		t.Fatalf("the page shows no list: %v\n%s", err, body)
	}
	for _, c := range list.Response.Items {
		names = append(names, c.Name)
	}
	return names
}
