package api_test

import (
	"context"
	"crypto/md5"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/access"
	commands "github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// officeClock is a fixed time of day, so that two services store the same instants.
type officeClock struct{ began time.Time }

func (officeClock) Now() time.Time { return time.Date(2024, 3, 9, 22, 30, 0, 0, time.UTC) }

func (c officeClock) Elapsed() time.Duration { return time.Since(c.began) }

func withOfficeClock(c *bootstrap.Config) { c.Clock = officeClock{time.Now()} }

// addCompany adds a company to the database of the service, with a user for each role, whose
// tokens have the names of start.
func (s *service) addCompany(name, zone string) *service {
	s.t.Helper()
	s.createCompany(name, zone)
	c := s.company(name, officeClock{time.Now()})
	c.addUsers()
	return c
}

// createCompany adds a company without users.
func (s *service) createCompany(name, zone string) {
	s.t.Helper()
	companies, closeAll, err := bootstrap.NewCompanies(s.t.Context(), bootstrap.Defaults(s.served))
	if err != nil {
		s.t.Fatal(err)
	}
	defer closeAll()
	added, err := companies.Add(s.t.Context(), name, zone)
	if err != nil {
		s.t.Fatal(err)
	}
	if pgtest.IsDistributed() {
		pgtest.RestartIDs(s.t, s.served, added.Code.Schema())
	}
}

// company returns the service as a company without users uses it. The clock is that of the
// commands.
func (s *service) company(name string, clock ports.Clock) *service {
	s.t.Helper()
	config := bootstrap.Defaults(s.served)
	config.CompanyName, config.Clock = name, clock
	config, err := bootstrap.InCompany(s.t.Context(), config)
	if err != nil {
		s.t.Fatal(err)
	}
	if config.Tenant.Node != "" {
		config.DatabaseURL = atNode(s.t, config)
	}
	operation, closeOperation, err := bootstrap.NewOperation(s.t.Context(), config)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(closeOperation)
	return &service{
		t: s.t, url: s.url, served: s.served, database: config.DatabaseURL, zone: config.TimeZone, tokens: map[string]string{},
		running: &bootstrap.Service{Handler: s.running.Handler, Commands: operation.Commands, Transaction: operation.Transaction}, commands: operation.Commands, admin: s.admin, pool: pgtest.Pool(s.t, config.DatabaseURL),
	}
}

// atNode returns the URL of the database on the worker of a company, where the service creates its records too.
func atNode(t testing.TB, c bootstrap.Config) string {
	t.Helper()
	at, err := url.Parse(c.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	at.Host = c.Tenant.Node
	return at.String()
}

// addMatrixRecords adds the records of startMatrix, whose texts begin with the prefix, and a rule.
func (s *service) addMatrixRecords(prefix string) {
	s.t.Helper()
	defer s.holdFolding()() // a write whose batch is folded meanwhile begins again, with another id
	s.addBilling()
	admin, manager := s.as("admin"), s.as("manager")
	manager.post("/rest/deal", fields{"name": prefix + "Roof", "client_id": 1, "type_id": nil}).wants(200)
	manager.post("/rest/invoice", bill(fields{"deal_id": 1, "items": []fields{goods(prefix+"slates", 3, 7)}})).wants(200)
	manager.post("/rest/contact", fields{"name": prefix + "Cleo", "client_id": 1}).wants(200)
	manager.post("/rest/offer", fields{"deal_id": 1, "number": prefix + "O-1"}).wants(200)
	manager.post("/rest/contract", fields{"deal_id": 1, "number": prefix + "C-1"}).wants(200)
	admin.post("/rest/deal-type", fields{"name": prefix + "Sale"}).wants(200)
	rule := namesRequired(strings.TrimSpace(prefix) + "first")
	rule["mode"] = "shadow"
	admin.post("/rest/rule", rule).wants(200)
	manager.post("/rest/deal", fields{"name": "x"}).wants(200) // which violates it
}

// otherIDs is how many records of each kind the other company has at least.
const otherIDs = 5

// addOthers adds records, so that the company has ids that others do not have.
func (s *service) addOthers(prefix string) {
	s.t.Helper()
	for i := range otherIDs {
		for _, route := range slices.Sorted(maps.Keys(matrix)) {
			path, ok := strings.CutPrefix(route, "POST ")
			if !ok || strings.Contains(path, "{id}") {
				continue
			}
			body := maps.Clone(matrix[route].carries.(fields))
			for _, name := range []string{"name", "title", "number"} {
				if body[name] != nil {
					body[name] = fmt.Sprint(prefix, body[name], "-", i)
				}
			}
			if body["expression"] != nil {
				body["name"] = fmt.Sprint("zeta-rule-", i)
			}
			s.as("admin").with("Idempotency-Key", fmt.Sprint("key-", i)).post(path, body).wants(200)
		}
	}
}

// isolationRequest is a request of the test, as it is sent for two companies.
type isolationRequest struct {
	method, path string
	body         any
	headers      http.Header
}

// isolationRequests are requests for every route, with ids, keys, cursors and tags that the
// other company has given out.
func isolationRequests(t *testing.T, other *service) (reads, writes []isolationRequest) {
	t.Helper()
	add := func(r isolationRequest) {
		if r.method == http.MethodGet {
			reads = append(reads, r)
			return
		}
		writes = append(writes, r)
	}
	cursor := regexp.MustCompile(`cursor=([^&>]+)`)
	// Those of tokens have random responses, and revoke the tokens of the test.
	for _, o := range slices.DeleteFunc(operations(), func(o apidoc.Operation) bool { return o.Tag == "token" }) {
		carries := matrix[o.Method+" "+o.Path].carries
		query, _ := carries.(string)
		ids := []string{""}
		if strings.Contains(o.Path, "{id}") {
			ids = []string{"1", "4", "9999999"} // of both, of the other one, of none
		}
		for _, id := range ids {
			path := strings.Replace(o.Path, "{id}", id, 1)
			tag := other.as("admin").get(path).header.Get("ETag")
			for _, headers := range headersOf(o.Method, tag) {
				add(isolationRequest{o.Method, path + "?" + query + refQuery(o.Method, path), carries, headers})
			}
			if body, ok := carries.(fields); ok {
				add(isolationRequest{o.Method, path, refersTo(body, 4), http.Header{}})
			}
		}
		if o.Method != http.MethodGet || strings.Contains(o.Path, "{id}") || !strings.HasPrefix(o.Path, "/rest/") {
			continue
		}
		for _, with := range []string{
			"per_page=1", "per_page=1&page=2", "per_page=500&sort=-id", "client_id=1", "client_id=4", "deal_id=4", "name=zeta", "number=zeta", "user_id=2",
			"fields=id&expand=user,client,deal", "ids=1,4", "id=4",
		} {
			add(isolationRequest{method: o.Method, path: o.Path + "?" + with})
		}
		link := other.as("admin").get(o.Path + "?per_page=2").header.Get("Link")
		if found := cursor.FindStringSubmatch(link); found != nil {
			add(isolationRequest{method: o.Method, path: o.Path + "?per_page=2&cursor=" + found[1]})
		}
	}
	add(isolationRequest{method: http.MethodGet, path: "/rest/none"})
	slices.SortStableFunc(writes, func(a, b isolationRequest) int { return order(a) - order(b) })
	return reads, writes
}

// headersOf are the headers with which a request is sent, one after the other.
func headersOf(method, tag string) []http.Header {
	switch method {
	case http.MethodGet:
		return []http.Header{{}, {"If-None-Match": {tag}}, {"Accept": {"application/xml"}}}
	case http.MethodPost:
		return []http.Header{{"Prefer": {"dry-run"}}, {}, {"Idempotency-Key": {"key-3"}}, {"Idempotency-Key": {"key-3"}}}
	}
	return []http.Header{{"Prefer": {"dry-run"}}, {"If-Match": {tag}}, {"If-Match": {`"1"`}}, {}}
}

// order puts deletions last.
func order(r isolationRequest) int { return strings.Count(r.method, "DELETE") }

// refersTo is the body with the id in every reference.
func refersTo(body fields, id int) fields {
	body = maps.Clone(body)
	for name := range body {
		if strings.HasSuffix(name, "_id") {
			body[name] = id
		}
	}
	body["client_id"] = id
	return body
}

// volatile is what differs between two responses to the same request: ids of requests, times of
// transmission, addresses, and counts that are stored later. Each is searched for by its literal
// beginning, which is fast.
var volatile = []*regexp.Regexp{
	regexp.MustCompile(`"request_id":"[^"]*"`), regexp.MustCompile(`<request_id>[^<]*`),
	regexp.MustCompile(`http://127\.0\.0\.1:\d+`),
}

// shown is what a response shows.
func (r *reply) shown() string {
	header := r.header.Clone()
	for _, name := range []string{"Date", "X-Request-Id"} {
		header.Del(name)
	}
	var lines []string
	for name, values := range header {
		lines = append(lines, name+": "+strings.Join(values, ", "))
	}
	slices.Sort(lines)
	text := fmt.Sprint(r.status, "\n", strings.Join(lines, "\n"), "\n", r.body)
	for _, pattern := range volatile {
		text = pattern.ReplaceAllString(text, "…")
	}
	return text
}

// The same requests are sent with a token of a company and to a service that has the same
// records and no companies. They carry ids, keys, cursors and tags of another company in the
// first database, which has more records. Equal responses show that nothing of it is seen.
//
// contract 14.32, 14.35, 14.79
func TestCompanyIsAsIfItWereAlone(t *testing.T) {
	t.Parallel()
	pgtest.SkipOnCitus(t, "ids have gaps there")
	const zone = "Europe/Berlin"
	database := pgtest.URL(t)
	all := serve(t, database, withOfficeClock, func(c *bootstrap.Config) { c.MaxConnections = 4 })
	all.addUsers()
	all.addMatrixRecords("default ")
	one, other := all.addCompany("one", zone), all.addCompany("other", "Asia/Tokyo")
	other.addMatrixRecords("zeta ")
	other.addOthers("zeta ")
	one.addMatrixRecords("")
	alone := serve(t, pgtest.URL(t), withOfficeClock, func(c *bootstrap.Config) { c.TimeZone = zone })
	alone.addUsers()
	bootstrap.RegisterRules(t.Context(), alone.commands, slog.New(slog.DiscardHandler))
	alone.addMatrixRecords("")
	for _, s := range []*service{all, other, one, alone} {
		for user := range s.tokens {
			s.as(user).get("/rest/user").wants(200) // its use is stored now, and not again
		}
	}
	reads, writes := isolationRequests(t, other)
	for _, s := range []*service{all, other} {
		s.settle()
	}
	before := map[*service]map[string]string{all: all.tableSums(), other: other.tableSums()}
	statuses := map[int]int{}
	send := func(s *service, user string, r isolationRequest) *reply {
		from := s.as(user)
		for name, values := range r.headers {
			from = from.with(name, values[0])
		}
		return from.send(r.method, r.path, r.body)
	}
	// A write whose batch is folded meanwhile begins again, with another id.
	releaseOne, releaseAlone := one.holdFolding(), alone.holdFolding()
	for i, r := range slices.Concat(reads, writes, reads) {
		user := []string{"admin", "manager", "viewer"}[i%3]
		got, want := send(one, user, r), send(alone, user, r)
		for tries := 0; strings.HasPrefix(r.path, "/readyz") && got.status != want.status && tries < 20; tries++ { // a check ends after 0.7 s, also on a busy machine
			one.nobody().becomes(http.StatusOK)
			alone.nobody().becomes(http.StatusOK)
			got, want = send(one, user, r), send(alone, user, r)
		}
		statuses[got.status]++
		if got.shown() != want.shown() {
			t.Errorf("%s %s as %s, with %v: got\n%s\nwant, as without other companies,\n%s", r.method, r.path, user, r.headers, got.shown(), want.shown())
		}
		if strings.Contains(strings.ToLower(got.body), "zeta") && !strings.Contains(r.path, "zeta") {
			t.Fatalf("%s %s shows a record of the other company: %s", r.method, r.path, got.body)
		}
		if i%20 == 0 { // on the connections of the other one
			other.as("viewer").get("/rest/client?per_page=1").wants(200)
			all.as("viewer").get("/rest/client?per_page=1").wants(200)
		}
	}
	releaseOne()
	releaseAlone()
	one.settle()
	for s, sums := range before {
		for table, sum := range s.tableSums() {
			if sums[table] != sum {
				t.Errorf("%s in %s has changed", table, s.zone)
			}
		}
	}
	t.Logf("%d requests, by status: %v", len(reads)*2+len(writes), statuses)
	for _, status := range []int{200, 304, 400, 403, 404, 409, 412, 422} {
		if statuses[status] == 0 {
			t.Errorf("no request gets a %d", status)
		}
	}
}

// contract 14.33
func TestTokenOfAnotherCompanyIsUnknown(t *testing.T) {
	t.Parallel()
	s := start(t, withOfficeClock)
	one, other := s.addCompany("one", "UTC"), s.addCompany("other", "UTC")
	want := s.as("admin").with("Authorization", "Bearer kt_0123456789ab_"+strings.Repeat("x", 43)).get("/rest/user").shown()
	code := func(of *service) string { return of.tokens["admin"][3:11] }
	rest := func(of *service) string { return of.tokens["admin"][11:] }
	for name, token := range map[string]string{
		"with the code of another company":        "kt_" + code(other) + rest(one),
		"with the code of no company":             "kt_00000000" + rest(one),
		"without a code":                          "kt_" + rest(one),
		"of the default company in a company":     "kt_" + code(one) + s.tokens["admin"][3:],
		"with the secret of another company":      one.tokens["admin"][:24] + other.tokens["admin"][24:],
		"with the public id of another company's": "kt_" + code(one) + other.tokens["admin"][11:],
	} {
		if got := one.as("admin").with("Authorization", "Bearer "+token).get("/rest/user").shown(); got != want {
			t.Errorf("a token %s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	for _, c := range []*service{s, one, other} {
		c.as("admin").get("/rest/user").wants(200)
	}
}

// contract 14.33, 14.34
func TestTokenOfADisabledCompanyIsUnknown(t *testing.T) {
	t.Parallel()
	s := start(t, withOfficeClock)
	one, other := s.addCompany("one", "UTC"), s.addCompany("other", "UTC")
	one.as("admin").get("/rest/user").wants(200)
	companies, closeAll, err := bootstrap.NewCompanies(t.Context(), bootstrap.Defaults(s.served))
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	if err := companies.Disable(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	got := one.as("admin").get("/rest/user")
	for end := time.Now().Add(time.Minute); got.status == http.StatusOK && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		got = one.as("admin").get("/rest/user")
	}
	if unknown := s.as("admin").with("Authorization", "Bearer kt_0123456789ab_"+strings.Repeat("x", 43)).get("/rest/user"); got.shown() != unknown.shown() {
		t.Errorf("the token of a disabled company: got\n%s\nwant, as for an unknown token,\n%s", got.shown(), unknown.shown())
	}
	other.as("admin").get("/rest/user").wants(200)
}

// contract 14.43
func TestCompanyThatWritesIsFolded(t *testing.T) {
	t.Parallel()
	s := start(t, withOfficeClock)
	one := s.addCompany("one", "UTC")
	for range 2 { // what is left of the first time is nothing
		one.addClients(3)
		for end := time.Now().Add(time.Minute); one.count("client_changes", "batch_id >= (select oldest_open_batch from read_model_state)") > 0; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("the changes of a company are not folded")
			}
		}
	}
	if total := one.as("admin").get("/rest/client?per_page=1").header.Get("X-Pagination-Total-Count"); total != "6" {
		t.Errorf("the list has %s clients, want 6", total)
	}
}

// Commands of operators write without a worker, like a process that is killed before it folds.
//
// contract 14.43
func TestCompanyIsFoldedWhenItIsNextUsed(t *testing.T) {
	t.Parallel()
	s := start(t, withOfficeClock)
	one := s.addCompany("one", "UTC")
	admin := commands.Request{Actor: access.Actor{UserID: 1, Role: user.Admin}}
	if _, err := one.commands.Clients.Create(t.Context(), admin, client.Attributes{Type: domain.Some(client.Company), Name: domain.Some("Acme")}); err != nil {
		t.Fatal(err)
	}
	const unfolded = "batch_id >= (select oldest_open_batch from read_model_state)"
	if one.count("client_changes", unfolded) == 0 {
		t.Fatal("nothing is left to fold")
	}
	one.as("admin").get("/rest/user").wants(200)
	for end := time.Now().Add(time.Minute); one.count("client_changes", unfolded) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("what a process has left is not folded")
		}
	}
}

func (s *service) addClients(n int) {
	s.t.Helper()
	for range n {
		s.as("admin").post("/rest/client", fields{"name": "Acme", "type": 1}).wants(200)
	}
}

// contract 14.35
func TestVersionShowsTheZoneOfTheTokensCompany(t *testing.T) {
	t.Parallel()
	s := start(t, withOfficeClock)
	one := s.addCompany("one", "Asia/Tokyo")
	valid := one.tokens["viewer"]
	for token, want := range map[string]string{
		"": "UTC", s.tokens["viewer"]: "UTC", valid: "Asia/Tokyo", valid[:len(valid)-1] + "-": "UTC", "kt_00000000" + valid[11:]: "UTC",
	} {
		var version struct{ Timezone string }
		s.nobody().with("Access-Token", token).get("/version").wants(200).decode(&version)
		if version.Timezone != want {
			t.Errorf("with the token %q the zone is %s, want %s", token, version.Timezone, want)
		}
	}
}

// contract 5.106
func TestTokenIssuedOverHTTPIsOneOfTheCompany(t *testing.T) {
	t.Parallel()
	s := start(t, withOfficeClock)
	one := s.addCompany("one", "UTC")
	issued := text(one.as("admin").post("/rest/token", fields{"label": "shop", "user": 3}).record()["token"])
	if issued[:11] != one.tokens["admin"][:11] {
		t.Errorf("the token begins with %s, those of the company with %s", issued[:11], one.tokens["admin"][:11])
	}
	if got := s.as("admin").get("/rest/token?username=viewer").items(); len(got) != 1 {
		t.Errorf("the other company lists %v", got)
	}
}

// settle folds and stores what the service has not yet.
func (s *service) settle() {
	s.t.Helper()
	for last := map[string]string(nil); ; {
		now := s.tableSums()
		if last != nil && maps.Equal(last, now) {
			return
		}
		last = now
		time.Sleep(1500 * time.Millisecond)
	}
}

// tableSums are checksums of the tables and sequences of the company.
func (s *service) tableSums() map[string]string {
	s.t.Helper()
	pool := s.pool
	ctx := context.Background()
	rows, err := pool.Query(ctx, "select tablename from pg_tables where schemaname = current_schema()")
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			s.t.Fatal(err)
		}
		names = append(names, name)
	}
	if len(names) < 30 {
		s.t.Fatalf("found only %v", names)
	}
	sums := map[string]string{}
	for _, name := range append(names, "(select * from pg_sequences where schemaname = current_schema())") {
		var content string
		if err := pool.QueryRow(ctx, "select coalesce(string_agg(r::text, ' ' order by r::text), '') from "+name+" r").Scan(&content); err != nil {
			s.t.Fatal(err)
		}
		sums[name] = fmt.Sprintf("%x", md5.Sum([]byte(content)))
	}
	return sums
}
