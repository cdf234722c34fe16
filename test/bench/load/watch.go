package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/adapters/credential"
	"github.com/kontor-crm/kontor/test/bench/floor"
)

// watcher sends requests to a Kontor of its own, and sees what that says to the database.
type watcher struct {
	site       *Site
	tap        *tap
	process    *Process
	background map[string]bool // what the service says on its own account
	own        map[int]bool    // the connections that it says that over
	token      *unit
	book       *book
	single     map[string]*singleExec // by kind, for pgbench
}

// watch starts a service behind a tap, and waits until its read models are ready.
func watch(ctx context.Context, program string, site *Site) (*watcher, error) {
	t, err := newTap(site.URL)
	if err != nil {
		return nil, err
	}
	behind, err := behindTap(site.URL, t.port())
	if err != nil {
		return nil, err
	}
	process, err := Kontor(ctx, program, behind)
	if err != nil {
		t.close()
		return nil, err
	}
	w := newWatcher(site, t, process)
	if err := site.waitReady(ctx, 10*time.Minute); err != nil {
		return nil, errors.Join(err, w.close())
	}
	if err := w.listen(ctx); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func newWatcher(site *Site, t *tap, process *Process) *watcher {
	return &watcher{
		site: site, tap: t, process: process, background: map[string]bool{}, own: map[int]bool{},
		book: newBook(), single: map[string]*singleExec{},
	}
}

func (w *watcher) close() error {
	err := w.process.Stop()
	w.tap.close()
	return err
}

// behindTap is the URL of the same database by way of the tap.
func behindTap(databaseURL string, port int) (string, error) {
	config, err := pgconn.ParseConfig(databaseURL)
	if err != nil {
		return "", err
	}
	u := url.URL{Scheme: "postgres", User: url.User(config.User), Host: "127.0.0.1:" + strconv.Itoa(port), Path: "/" + config.Database, RawQuery: "sslmode=disable"}
	if config.Password != "" {
		u.User = url.UserPassword(config.User, config.Password)
	}
	return u.String(), nil
}

// listen learns what the service says when nobody asks it anything, after changes too, and how it
// checks a token.
func (w *watcher) listen(ctx context.Context) error {
	if _, _, err := w.send(ctx, Request{Method: "GET", URI: clientList}); err != nil {
		return err
	}
	asked := map[int]bool{}
	for _, u := range w.tap.take() {
		if isTokenCheck(u) && w.token == nil {
			w.token = u
		}
		asked[u.session] = asked[u.session] || isTokenCheck(u)
	}
	if w.token == nil {
		return errors.New("the service let a request in without looking at its token")
	}
	client := writesOf(w.site.facts)[0]
	for range 3 {
		if _, _, err := w.send(ctx, Request{Method: client.method, URI: client.uris[0], Body: fmt.Sprintf(client.bodies[0], freshWord())}); err != nil {
			return err
		}
		w.tap.take()
		time.Sleep(quiet)
		for _, u := range w.tap.take() {
			w.background[u.sequence()] = true
			w.own[u.session] = !asked[u.session]
		}
	}
	return nil
}

// quiet is how long is listened for what the service does on its own account after a change.
const quiet = 1500 * time.Millisecond

func (w *watcher) send(ctx context.Context, r Request) (http.Header, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, "http://"+w.process.Address+r.URI, strings.NewReader(r.Body))
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+w.site.Token)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s: %s", r.Method, r.URI, response.Status, body)
	}
	return response.Header, body, err
}

// see sends a request and sees what is said for it.
func (w *watcher) see(ctx context.Context, r Request, word string) (*seen, error) {
	w.tap.take()
	header, body, err := w.send(ctx, r)
	if err != nil {
		return nil, err
	}
	s := &seen{request: r, word: word, body: body, page: pageOf(header)}
	if word != "" {
		s.request.Body = strings.Replace(r.Body, word, "", 1)
	}
	for _, u := range w.tap.take() {
		if !w.own[u.session] && !w.background[u.sequence()] && !isTokenCheck(u) {
			s.units = append(s.units, u)
		}
	}
	return s, nil
}

// settled sees a request that was sent before until it is served in the same way twice in a row.
func (w *watcher) settled(ctx context.Context, r Request) (*seen, error) {
	last := ""
	for range 12 {
		s, err := w.see(ctx, r, "")
		if err != nil {
			return nil, err
		}
		now := s.sequence()
		if now == last && now != "" {
			return s, nil
		}
		last = now
	}
	return nil, fmt.Errorf("%s %s is served in another way each time", r.Method, r.URI)
}

func (s *seen) sequence() string {
	var b strings.Builder
	for _, u := range s.units {
		b.WriteString(u.sequence() + "\n")
	}
	return b.String()
}

var linkPattern = regexp.MustCompile(`<http://[^/>]*([^>]*)>; rel="([a-z]+)"`)

// pageOf is what the headers of a list say; nil if it is none.
func pageOf(h http.Header) *floor.Page {
	if h.Get("X-Pagination-Total-Count") == "" {
		return nil
	}
	p := &floor.Page{
		Total: h.Get("X-Pagination-Total-Count"), Pages: h.Get("X-Pagination-Page-Count"),
		Number: h.Get("X-Pagination-Current-Page"), Size: h.Get("X-Pagination-Per-Page"),
	}
	for _, m := range linkPattern.FindAllStringSubmatch(h.Get("Link"), -1) {
		p.Links = append(p.Links, floor.Link{URI: m[1], Rel: m[2]})
	}
	return p
}

// file is what the floor has to know.
func (w *watcher) file() (*floor.File, error) {
	b := w.book
	secret, ok := credential.Minter{}.Read(w.site.Token)
	if !ok {
		return nil, errors.New("a token of another form")
	}
	check := w.token.execs()[0]
	b.file.Token = floor.Token{Public: secret.PublicID, Hash: secret.Hash[:], Statement: b.exec(check), Pool: b.pool(w.token)}
	if len(check.rows) == 1 {
		b.file.Token.Column = slices.IndexFunc(check.rows[0], func(cell []byte) bool { return bytes.Equal(cell, secret.Hash[:]) })
	}
	if len(check.rows) != 1 || b.file.Token.Column < 0 {
		return nil, errors.New("the statement that checks a token does not give its hash")
	}
	return &b.file, nil
}
