//go:build full

package browser

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
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

// patience is how long the browser may take for one step, on a busy machine too.
const patience = time.Minute

// tab is one in a browser that starts with an empty profile, and what happens in it.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	hosts      map[string]bool // that anything was asked of
	complaints []string        // of the browser and of scripts
}

// open starts a browser, until the test ends. It finds no host but this machine.
func open(t *testing.T) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, // which root cannot have
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
	// The first call starts the browser, which lives as long as its context.
	if err := chromedp.Listen(ctx, b.note); err != nil {
		t.Fatalf("Chromium does not start; it has to be installed: %v", err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	return b
}

// note keeps what a page must not do.
func (b *tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if u, err := url.Parse(e.Request.URL); err != nil || u.Scheme != "data" {
			b.hosts[u.Host] = true
		}
	case *network.EventWebSocketCreated:
		b.hosts[e.URL] = true
	case *log.EventEntryAdded: // refusals by the policy of the page are among these
		if e.Entry.Level == log.EntryLevelVerbose {
			return // advice on forms
		}
		b.complaints = append(b.complaints, strings.Join([]string{string(e.Entry.Source), string(e.Entry.Level), e.Entry.Text, e.Entry.URL}, " "))
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, e.ExceptionDetails.Text+" "+e.ExceptionDetails.URL)
	case *runtime.EventConsoleAPICalled:
		var said []string
		for _, argument := range e.Args {
			said = append(said, string(argument.Value)+argument.Description)
		}
		b.complaints = append(b.complaints, string(e.Type)+" "+strings.Join(said, " "))
	}
}

// does carries out steps, and fails with what they are for.
func (b *tab) does(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.picture("failed.png")
		b.mu.Lock()
		defer b.mu.Unlock()
		b.t.Fatalf("%s: %v\nthe browser says %q", what, err, b.complaints)
	}
}

// isQuiet wants that nothing was asked of another host, and that neither the
// browser nor a script complained.
func (b *tab) isQuiet(host string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for other := range b.hosts {
		if other != host {
			b.t.Errorf("the page asks something of %s", other)
		}
	}
	if !b.hosts[host] {
		b.t.Errorf("nothing was asked of %s: nobody has looked", host)
	}
	for _, complaint := range b.complaints {
		b.t.Errorf("the browser says: %s", complaint)
	}
}

// presses clicks, once the page has come to rest: a click at a place that moves
// away would hit another.
func presses(on chromedp.CSS) chromedp.Action[chromedp.Void] {
	resting := fmt.Sprintf(`(async () => {
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
		chromedp.Evaluate[chromedp.Void](resting, chromedp.EvalAwaitPromise),
		chromedp.Click(on),
	)
}

// types puts the text in the place of what the field holds, as a keyboard would.
func types(field chromedp.CSS, text string) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(
		presses(field),
		chromedp.Evaluate[chromedp.Void](`document.activeElement.select()`),
		chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, input.InsertText, input.InsertTextParams{Text: text})
			return err
		}),
	)
}

// seen is what the action finds.
func seen[T any](b *tab, what string, action chromedp.Action[T]) (found T) {
	b.t.Helper()
	b.does(what, func(ctx context.Context, t *chromedp.Target) (_ chromedp.Void, err error) {
		found, err = action(ctx, t)
		return chromedp.Void{}, err
	})
	return found
}

// picture keeps the whole page.
func (b *tab) picture(name string) { b.keeps(name, chromedp.FullScreenshot(100)) }

// pictureOf keeps what a person sees who has come to that part of the page.
func (b *tab) pictureOf(part, name string) {
	b.t.Helper()
	b.does("go to "+part, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector(%q).scrollIntoView()`, part)))
	b.keeps(name, chromedp.CaptureScreenshot())
}

func (b *tab) keeps(name string, picture chromedp.Action[[]byte]) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	shot, err := chromedp.Run(ctx, picture)
	if err != nil {
		b.t.Errorf("no picture: %v", err)
		return
	}
	folder := os.Getenv("KONTOR_TEST_SCREENSHOTS")
	if folder == "" {
		folder = b.t.ArtifactDir()
	}
	file := filepath.Join(folder, name)
	if err := os.MkdirAll(folder, 0o750); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, shot, 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.t.Logf("picture: %s", file)
}
