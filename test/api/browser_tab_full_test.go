//go:build full

package api_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// stepTimeout is generous, for slow machines.
const stepTimeout = time.Minute

// tab is a tab of a browser with an empty profile, and the recorded events.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	hosts    map[string]bool // that were requested
	messages []string        // of the browser and the console
}

// open starts a browser until the test ends. It resolves no host but this machine.
func open(t *testing.T) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, // the sandbox does not work as root
		chromedp.DisableGPU,
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
		chromedp.WindowSize(1360, 1000),
		chromedp.UserDataDir(t.TempDir()),
	)
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, leave := chromedp.NewContext(ctx)
	t.Cleanup(leave)
	b := &tab{t: t, ctx: ctx, hosts: map[string]bool{}}
	// The first call starts the browser; its context ends it.
	if err := chromedp.Listen(ctx, b.record); err != nil {
		t.Fatalf("Chromium does not start; it has to be installed: %v", err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	return b
}

// record records requested hosts and messages.
func (b *tab) record(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if u, err := url.Parse(e.Request.URL); err != nil || u.Scheme != "data" {
			b.hosts[u.Host] = true
		}
	case *network.EventWebSocketCreated:
		b.hosts[e.URL] = true
	case *log.EventEntryAdded: // includes violations of the Content-Security-Policy
		if e.Entry.Level == log.EntryLevelVerbose {
			return // hints about forms
		}
		b.messages = append(b.messages, strings.Join([]string{string(e.Entry.Source), string(e.Entry.Level), e.Entry.Text, e.Entry.URL}, " "))
	case *runtime.EventExceptionThrown:
		b.messages = append(b.messages, e.ExceptionDetails.Text+" "+e.ExceptionDetails.URL)
	case *runtime.EventConsoleAPICalled:
		var said []string
		for _, argument := range e.Args {
			said = append(said, string(argument.Value)+argument.Description)
		}
		b.messages = append(b.messages, string(e.Type)+" "+strings.Join(said, " "))
	}
}

// run executes steps; what describes them in an error.
func (b *tab) run(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, stepTimeout)
	defer stop()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.t.Fatalf("%s: %v\nthe browser says %q", what, err, b.messages)
	}
}

// fallback is what Swagger UI warns of before it shows a list of ids as a list of integers.
const fallback = `warning "Could not find component:" "JsonSchema_integer_int64"`

// checkEvents checks that only the host was requested, and that there are no messages but the fallback.
func (b *tab) checkEvents(host string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for other := range b.hosts {
		if other != host {
			b.t.Errorf("the page requests %s", other)
		}
	}
	if !b.hosts[host] {
		b.t.Errorf("no request to %s was recorded", host)
	}
	for _, message := range b.messages {
		if message != fallback {
			b.t.Errorf("the browser says: %s", message)
		}
	}
}

// click clicks once the element has stopped moving, so that the click does not miss it.
func click(on chromedp.CSS) chromedp.Action[chromedp.Void] {
	waitForRest := fmt.Sprintf(`(async () => {
		document.querySelector(%[1]q).scrollIntoView({block: "center"});
		for (let rests = 0, before = ""; rests < 6;) {
			await new Promise((next) => setTimeout(next, 30));
			const now = JSON.stringify(document.querySelector(%[1]q)?.getBoundingClientRect());
			rests = now === before ? rests + 1 : 0;
			before = now;
		}
	})()`, string(on))
	return chromedp.Steps(
		chromedp.WaitVisible(on),
		chromedp.Evaluate[chromedp.Void](waitForRest, chromedp.EvalAwaitPromise),
		chromedp.Click(on),
	)
}

// enter replaces the text of a field.
func enter(field chromedp.CSS, text string) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(
		click(field),
		chromedp.Evaluate[chromedp.Void](`document.activeElement.select()`),
		chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, input.InsertText, input.InsertTextParams{Text: text})
			return err
		}),
	)
}

// result is the result of the action.
func result[T any](b *tab, what string, action chromedp.Action[T]) (found T) {
	b.t.Helper()
	b.run(what, func(ctx context.Context, t *chromedp.Target) (_ chromedp.Void, err error) {
		found, err = action(ctx, t)
		return chromedp.Void{}, err
	})
	return found
}
