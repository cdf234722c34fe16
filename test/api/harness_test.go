package api_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testprogram"
	"github.com/kontor-crm/kontor/test/testserver"
)

// Tests wait for locks, times and the database: one more than there are processors run at once,
// unless the flag parallel is given.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", strconv.Itoa(runtime.GOMAXPROCS(0)+1)); err != nil {
		panic(err)
	}
	os.Exit(testprogram.Run(m))
}

// isCompany is whether the tests use a company other than the default one, of the name mainCompany.
var isCompany = os.Getenv("KONTOR_TEST_COMPANY") != ""

const mainCompany = "main"

// service is a running Kontor on a database of its own, with a user for each role:
// admin (id 1), manager (2), viewer (3), and a second manager, other (4).
type service struct {
	t        testing.TB
	url      string
	served   string // the URL of the database
	database string // the URL with the search path of the company
	zone     string
	running  *bootstrap.Service
	commands bootstrap.Commands
	tokens   map[string]string
	admin    http.Handler  // of the admin listener
	pool     *pgxpool.Pool // on the database, bypassing the service
}

// fixture is records that many tests begin with.
type fixture struct {
	add      func(*service)                     // the users and other records
	database *pgtest.Fixture[map[string]string] // the tokens by username
}

func newFixture(add func(*service)) fixture {
	return fixture{add, pgtest.NewFixture(func(t testing.TB, url string) map[string]string {
		t.Helper()
		s := serve(t, url).addMain(nil)
		add(s)
		return s.tokens
	})}
}

// start runs a service with the records until the test ends. A service with a clock adds them
// itself, by that clock; others have a copy of them.
func (f fixture) start(t testing.TB, options ...func(*bootstrap.Config)) *service {
	t.Helper()
	var config bootstrap.Config
	for _, option := range options {
		option(&config)
	}
	if config.Clock != nil {
		s := serve(t, pgtest.URL(t), options...).addMain(config.Clock)
		f.add(s)
		return s
	}
	url, tokens := f.database.URL(t)
	s := serve(t, url, options...).main(nil)
	s.tokens = maps.Clone(tokens)
	return s
}

// addMain adds the company that is tested, if it is not the default one.
func (s *service) addMain(clock ports.Clock) *service {
	s.t.Helper()
	if isCompany {
		s.createCompany(mainCompany, s.zone)
	}
	return s.main(clock)
}

// main returns the service as the company that is tested uses it.
func (s *service) main(clock ports.Clock) *service {
	s.t.Helper()
	if !isCompany {
		return s
	}
	return s.company(mainCompany, clock)
}

// onlyDefaultCompany skips a test of what other companies do not have.
func onlyDefaultCompany(t testing.TB, reason string) {
	t.Helper()
	if isCompany {
		t.Skip("of the default company: " + reason)
	}
}

var users = newFixture((*service).addUsers)

// start runs the service until the test ends.
func start(t testing.TB, options ...func(*bootstrap.Config)) *service {
	t.Helper()
	return users.start(t, options...)
}

// addUsers adds a user for each role, and a second manager.
func (s *service) addUsers() {
	s.t.Helper()
	s.addUser("admin", "Ada", "Min", user.Admin)
	s.addUser("manager", "Mara", "Nager", user.Manager)
	s.addUser("viewer", "Vic", "Ewer", user.Viewer)
	s.addUser("other", "Otto", "Her", user.Manager)
}

// again runs another service on the same database until the test ends, with the same
// users and tokens.
func (s *service) again(t testing.TB, options ...func(*bootstrap.Config)) *service {
	t.Helper()
	other := serve(t, s.served, options...).main(nil)
	other.tokens = s.tokens
	return other
}

// serve runs the service on a migrated database until the test ends.
func serve(t testing.TB, database string, options ...func(*bootstrap.Config)) *service {
	t.Helper()
	config := bootstrap.Defaults(database)
	built := testserver.On(t, database, func(c *bootstrap.Config) {
		c.MaxConnections = 16
		for _, option := range options {
			option(c)
		}
		config = *c
	})
	return &service{t: t, url: built.URL, served: config.DatabaseURL, database: config.DatabaseURL, zone: config.TimeZone, running: built.Service, commands: built.Commands, admin: built.Admin, pool: pgtest.Pool(t, config.DatabaseURL), tokens: map[string]string{}}
}

func (s *service) addUser(username, fname, lname string, role user.Role) {
	s.t.Helper()
	s.tokens[username] = testserver.TokenOf(s.t, s.running, user.Attributes{
		Username:  domain.Some(username),
		FirstName: domain.Some(fname),
		LastName:  domain.Some(lname),
		Email:     domain.Some(username + "@example.org"),
		Role:      domain.Some(role),
	})
}

// execute runs a statement on the service's database, bypassing the service.
func (s *service) execute(sql string, args ...any) {
	s.t.Helper()
	if _, err := s.pool.Exec(s.t.Context(), sql, args...); err != nil {
		s.t.Fatal(err)
	}
}

// alter changes records bypassing the service, and rebuilds the read models.
func (s *service) alter(sql string, args ...any) {
	s.t.Helper()
	s.execute(sql, args...)
	s.rebuild()
}

// rebuild folds all changes and then rebuilds the read models, in the time zone of the
// service.
func (s *service) rebuild() {
	s.t.Helper()
	if err := postgres.RecordZone(s.t.Context(), s.database, s.zone); err != nil {
		s.t.Fatal(err)
	}
	db := pgtest.DB(s.t, s.database, s.zone)
	for more := true; more; {
		var err error
		if more, err = pgsummary.Fold(s.t.Context(), db); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := pgsummary.Rebuild(s.t.Context(), db); err != nil {
		s.t.Fatal(err)
	}
}

// holdFolding keeps changes from being folded until release is called.
func (s *service) holdFolding() (release func()) {
	s.t.Helper()
	tx, err := s.pool.Begin(s.t.Context())
	if err == nil {
		_, err = tx.Exec(s.t.Context(), "select from read_model_state for share")
	}
	if err != nil {
		s.t.Fatal(err)
	}
	release = func() { _ = tx.Rollback(context.Background()) }
	s.t.Cleanup(release)
	return release
}

// corruptReadModels marks the read models as not ready and deletes their rows, so that
// a list that reads them is wrong.
func (s *service) corruptReadModels() {
	s.t.Helper()
	s.execute("update read_model_state set is_ready = false")
	for _, table := range []string{
		"client_totals", "deal_totals", "invoice_totals", "client_counts",
		"client_search", "deal_search", "offer_search", "contract_search", "invoice_search",
	} {
		s.execute("delete from " + table)
	}
}

// count returns the number of rows of the table that satisfy the condition.
func (s *service) count(table, condition string) (n int) {
	s.t.Helper()
	sql := fmt.Sprintf("select count(*) from %s where %s", table, condition)
	if err := s.pool.QueryRow(s.t.Context(), sql).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// caller sends requests as one user, in JSON unless a header says otherwise.
type caller struct {
	s       *service
	headers http.Header
}

// as returns a caller that sends the user's token in a header.
func (s *service) as(username string) *caller {
	return &caller{s: s, headers: http.Header{
		"Authorization": {"Bearer " + s.tokens[username]},
		"Accept":        {"application/json"},
	}}
}

// nobody returns a caller without a token.
func (s *service) nobody() *caller {
	return &caller{s: s, headers: http.Header{"Accept": {"application/json"}}}
}

// with returns the same caller with another header; an empty value removes it.
func (c *caller) with(name, value string) *caller {
	headers := c.headers.Clone()
	headers.Del(name)
	if value != "" {
		headers.Set(name, value)
	}
	return &caller{s: c.s, headers: headers}
}

func (c *caller) get(path string) *reply             { return c.send(http.MethodGet, path, nil) }
func (c *caller) post(path string, body any) *reply  { return c.send(http.MethodPost, path, body) }
func (c *caller) put(path string, body any) *reply   { return c.send(http.MethodPut, path, body) }
func (c *caller) patch(path string, body any) *reply { return c.send(http.MethodPatch, path, body) }
func (c *caller) delete(path string) *reply          { return c.send(http.MethodDelete, path, nil) }

// fields is the body of a write.
type fields map[string]any

// picture is the body of a write that is a file.
type picture []byte

// send sends a request. A string or picture is sent as the body unchanged, any other body as
// JSON. The path may be an absolute URL, as in Link and Location.
func (c *caller) send(method, path string, body any) *reply {
	c.s.t.Helper()
	var raw []byte
	contentType := "application/json"
	switch b := body.(type) {
	case nil:
	case string:
		raw = []byte(b)
	case picture:
		raw, contentType = b, http.DetectContentType(b)
	default:
		var err error
		if raw, err = json.Marshal(body); err != nil {
			c.s.t.Fatal(err)
		}
	}
	address := path
	if !strings.HasPrefix(path, "http") {
		address = c.s.url + path
	}
	request, err := http.NewRequestWithContext(c.s.t.Context(), method, address, bytes.NewReader(raw))
	if err != nil {
		c.s.t.Fatal(err)
	}
	request.Header = c.headers.Clone()
	if body != nil && request.Header.Get("Content-Type") == "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		c.s.t.Fatal(err)
	}
	defer response.Body.Close()
	content := io.Reader(response.Body)
	if response.Header.Get("Content-Encoding") == "gzip" && method != http.MethodHead {
		if content, err = gzip.NewReader(content); err != nil {
			c.s.t.Fatal(err)
		}
	}
	text, err := io.ReadAll(content)
	if err != nil {
		c.s.t.Fatal(err)
	}
	r := &reply{t: c.s.t, what: method + " " + path, status: response.StatusCode, header: response.Header, body: string(text)}
	r.conforms(request)
	return r
}

// reply is a response of the service.
type reply struct {
	t      testing.TB
	what   string
	status int
	header http.Header
	body   string
}

// wants ends the test unless the response has the status.
func (r *reply) wants(status int) *reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("%s: status %d, want %d\n%s", r.what, r.status, status, r.body)
	}
	return r
}

// decode decodes the JSON body into target, with numbers as json.Number.
func (r *reply) decode(target any) {
	r.t.Helper()
	d := json.NewDecoder(strings.NewReader(r.body))
	d.UseNumber()
	if err := d.Decode(target); err != nil {
		r.t.Fatalf("%s: %v\n%s", r.what, err, r.body)
	}
}

// record returns the record of a successful response; numbers are json.Number.
func (r *reply) record() map[string]any {
	r.t.Helper()
	var response struct{ Response map[string]any }
	r.wants(http.StatusOK).decode(&response)
	return response.Response
}

// id returns the id of the record.
func (r *reply) id() string {
	r.t.Helper()
	return r.record()["id"].(json.Number).String()
}

// items returns the records of a successful list.
func (r *reply) items() []map[string]any {
	r.t.Helper()
	var response struct {
		Response struct{ Items []map[string]any }
	}
	r.wants(http.StatusOK).decode(&response)
	if response.Response.Items == nil {
		r.t.Fatalf("%s: no list\n%s", r.what, r.body)
	}
	return response.Response.Items
}

// column returns one attribute of every record of a list, as text.
func (r *reply) column(name string) []string {
	r.t.Helper()
	texts := []string{}
	for _, item := range r.items() {
		texts = append(texts, text(item[name]))
	}
	return texts
}

// problem is a problem document.
type problem struct {
	Type      string
	Title     string
	Status    int
	Detail    string
	Message   string
	RequestID string `json:"request_id"`
	Errors    []struct{ Field, Message, Rule string }

	References map[string]int
}

// rejected checks the status and returns the problem document.
func (r *reply) rejected(status int) problem {
	r.t.Helper()
	var p problem
	r.wants(status).decode(&p)
	if got := r.header.Get("Content-Type"); got != "application/problem+json; charset=utf-8" {
		r.t.Errorf("%s: the content type of a problem is %q", r.what, got)
	}
	if p.Status != status || p.Title != http.StatusText(status) || p.Message != p.Detail || p.Detail == "" {
		r.t.Errorf("%s: the problem does not describe a %d: %s", r.what, status, r.body)
	}
	return p
}

// wrongFields returns the names of the fields of a 422.
func (r *reply) wrongFields() []string {
	r.t.Helper()
	names := []string{}
	for _, e := range r.rejected(http.StatusUnprocessableEntity).Errors {
		names = append(names, e.Field)
	}
	return names
}

// text returns a decoded JSON value as text: null is "null".
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	b, _ := json.Marshal(v)
	return string(b)
}
