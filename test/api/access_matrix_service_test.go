package api_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// callers are all kinds of callers. The first five have no valid token: one has none,
// the others have a token that would be an administrator's if it were valid.
var callers = []string{"nobody", "unknown", "expired", "revoked", "disabled", "viewer", "manager", "admin"}

// rolesAndNobody are a caller of each role and one without a token.
var rolesAndNobody = []string{"nobody", "viewer", "manager", "admin"}

// callersOf returns the callers for a route: all of them for a read, and one kind of
// invalid token for a write.
func callersOf(route string) []string {
	if strings.HasPrefix(route, http.MethodGet) {
		return callers
	}
	return []string{"nobody", "unknown", "viewer", "manager", "admin"}
}

func hasNoValidToken(caller string) bool { return slices.Index(callers, caller) < 5 }

// of returns the status that the caller gets.
func (v permissions) of(caller string) int {
	switch caller {
	case "viewer":
		return v.viewer
	case "manager":
		return v.manager
	case "admin":
		return v.admin
	}
	return v.noToken
}

// matrixService is a service for the requests of the matrix.
type matrixService struct {
	*service
	pool      *pgxpool.Pool
	checksums string            // the statement of sum
	unchanged map[string]string // ids of records that no request changes, by path
}

// startMatrix starts a service with the records that the bodies of the matrix refer
// to: those of startBilling, a deal (1) with Acme, and an invoice (1) in it. Invalid
// tokens have been invalid since before their first use, so that no cache of valid
// tokens has to expire.
func startMatrix(t testing.TB, options ...func(*bootstrap.Config)) *matrixService {
	t.Helper()
	s := startBilling(t, append(options, func(c *bootstrap.Config) { c.RawProxies = "127.0.0.0/8,::1" })...)
	s.as("manager").post("/rest/deal", fields{"name": "Roof", "client_id": 1}).wants(200)
	s.as("manager").post("/rest/invoice", bill(fields{"deal_id": 1})).wants(200)

	admins, viewers := strings.SplitN(s.tokens["admin"], "_", 3), strings.SplitN(s.tokens["viewer"], "_", 3)
	s.tokens["unknown"] = admins[0] + "_" + admins[1] + "_" + viewers[2]

	expired, _, err := s.commands.Tokens.Issue(t.Context(), "admin", time.Microsecond)
	if err != nil {
		t.Fatal(err)
	}
	s.tokens["expired"] = expired.Token

	revoked, _, err := s.commands.Tokens.Issue(t.Context(), "admin", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.commands.Tokens.Revoke(t.Context(), revoked.PublicID); err != nil {
		t.Fatal(err)
	}
	s.tokens["revoked"] = revoked.Token

	s.addUser("disabled", "Di", "Sabled", user.Admin)
	if err := s.commands.Users.Disable(t.Context(), "disabled"); err != nil {
		t.Fatal(err)
	}
	s.nobody().becomes(http.StatusOK) // on a busy machine, connecting may take longer than a check of readiness
	m := &matrixService{service: s, pool: pgtest.Pool(t, s.database), unchanged: map[string]string{}}
	m.checksums = m.checksumStatement()
	return m
}

// routes returns the rows of the matrix in order.
func (m *matrixService) routes() []string { return slices.Sorted(maps.Keys(matrix)) }

// run runs a cell of the matrix as a subtest.
func (m *matrixService) run(t *testing.T, route, caller string, cell func(m *matrixService)) {
	t.Helper()
	t.Run(route+" as "+caller, func(t *testing.T) {
		own, in := *m.service, *m
		own.t, in.service = t, &own
		cell(&in)
	})
}

// caller returns a caller with a client address of its own, because failed tokens are
// rate limited per address.
func (m *matrixService) caller(name string) *caller {
	from := m.nobody()
	if name != "nobody" {
		from = m.as(name)
	}
	return from.with("X-Forwarded-For", netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, rand.Uint32()))).String())
}

// check sends the request of the row as the caller and checks the status.
func (m *matrixService) check(route, caller string, want int) {
	m.t.Helper()
	if strings.HasPrefix(route, http.MethodGet) {
		m.checkRead(route, caller, want)
		return
	}
	m.checkWrite(route, matrix[route].carries, caller, want)
}

// checkRead checks the status of GET and HEAD, and that all readers get the same body
// as an administrator.
func (m *matrixService) checkRead(route, caller string, want int) {
	m.t.Helper()
	_, path := m.unchangedAddress(route)
	if query, ok := matrix[route].carries.(string); ok {
		path += query
	}
	got := checkResponse(m.caller(caller).get(path), want)
	if caller == "nobody" && strings.HasPrefix(path, "/rest/user") {
		path += "&fields=id,name,fname,lname" // all that it may see
	}
	if admins := m.as("admin").get(path); want == 200 && got.body != admins.body && !strings.HasPrefix(path, "/rest/me") {
		m.t.Errorf("%s: got\n%s\nwant, as for an admin,\n%s", path, got.body, admins.body)
	}
	head := m.caller(caller).send(http.MethodHead, path, nil)
	if challenge := got.header.Get("WWW-Authenticate"); head.status != want || head.body != "" || head.header.Get("WWW-Authenticate") != challenge {
		m.t.Errorf("HEAD %s: %d, WWW-Authenticate %q, body %q; want %d, %q and none",
			path, head.status, head.header.Get("WWW-Authenticate"), head.body, want, challenge)
	}
}

// checkWrite checks the status of a write, and that stored data changes if and only if
// the write is allowed and not a trial.
func (m *matrixService) checkWrite(route string, body any, caller string, want int) *reply {
	m.t.Helper()
	method, path := m.unchangedAddress(route)
	if want == 200 {
		method, path = m.address(route)
	}
	before := m.sum()
	r := checkResponse(m.caller(caller).send(method, path, body), want)
	isTrial := strings.Contains(route, "trial")
	if changed := m.sum() != before; changed != (want == 200 && !isTrial) {
		m.t.Errorf("%s: returned %d; stored data changed: %v", r.what, want, changed)
	}
	return r
}

// checkResponse checks the status, and the problem document and WWW-Authenticate of a
// rejection.
func checkResponse(r *reply, want int) *reply {
	r.t.Helper()
	if want < 400 {
		r.wants(want)
	} else {
		r.rejected(want)
	}
	challenge := ""
	if want == http.StatusUnauthorized {
		challenge = `Bearer realm="kontor"`
	}
	if got := r.header.Get("WWW-Authenticate"); got != challenge {
		r.t.Errorf("%s: WWW-Authenticate is %q, want %q", r.what, got, challenge)
	}
	return r
}

// address returns the method of the route, and its path with the id of a record that
// no other request has used: a new one, if it can be created.
func (m *matrixService) address(route string) (method, path string) {
	m.t.Helper()
	method, path, _ = strings.Cut(route, " ")
	if before, after, isOfRecord := strings.Cut(path, "{id}"); isOfRecord {
		path = before + m.newID(path) + after
	} else if method == http.MethodPut {
		id := m.newID(path)
		m.as("admin").put(path+"/"+id, fields{"ref": "ref-" + id}).wants(200)
		path += "?ref=ref-" + id
	}
	return method, path
}

// unchangedAddress is address for a request that changes nothing. Others have the same record.
func (m *matrixService) unchangedAddress(route string) (method, path string) {
	m.t.Helper()
	method, path, _ = strings.Cut(route, " ")
	if strings.Contains(path, "{id}") && m.unchanged[path] == "" {
		m.unchanged[path] = m.newID(path)
	}
	return method, strings.Replace(path, "{id}", m.unchanged[path], 1) + "?" + refQuery(method, path)
}

// refQuery is the query of a PUT without an id.
func refQuery(method, path string) string {
	if method == http.MethodPut && !strings.Contains(path, "{id}") {
		return "ref=of-no-record"
	}
	return ""
}

// newID returns the id of a record for the path: a new one, if it can be created.
func (m *matrixService) newID(path string) string {
	m.t.Helper()
	list, action, _ := strings.Cut(path, "/{id}")
	if action == "/issue" || action == "/credit" {
		draft := m.draftOfSeries()
		if action == "/credit" {
			m.as("admin").post(list+"/"+draft+"/issue", nil).wants(http.StatusOK)
		}
		return draft
	}
	id := "1"
	if row, ok := matrix["POST "+list]; ok {
		id = m.as("admin").post(list, another(row.carries)).id()
	}
	if strings.HasSuffix(path, "/violations") {
		m.violate(id)
	}
	if strings.HasSuffix(path, "/party") {
		m.as("admin").send(http.MethodPut, strings.Replace(path, "{id}", id, 1), fields{"legal_name": "former"}).wants(http.StatusOK)
	}
	if strings.Contains(path, "/file/") {
		m.as("admin").put(strings.Replace(path, "{id}", id, 1), painted(1)).wants(http.StatusOK)
	}
	return id
}

// draftOfSeries returns the id of an invoice that can be issued.
func (m *matrixService) draftOfSeries() string {
	m.t.Helper()
	admin := m.as("admin")
	performer := admin.post("/rest/performer", fields{"name": "Branch"}).id()
	m.complete(performer, fields{
		"numbering": "series", "number_pattern": "R{seq}", "credit_pattern": "C{seq}", "vat_reason": "small business",
	})
	return admin.post("/rest/invoice", bill(fields{"performer_id": performer, "number": nil, "items": []fields{goods("pens", 2, 3)}})).id()
}

// another is a body like it that can be sent again: no two rules have the same name.
func another(body any) any {
	f, ok := body.(fields)
	if !ok || f["expression"] == nil {
		return body
	}
	f = maps.Clone(f)
	f["name"] = fmt.Sprint("another-", rand.Uint64())
	return f
}

// sum returns a checksum of the tables and sequences of the database, without the table of
// tokens, which records their last use.
func (m *matrixService) sum() string {
	m.t.Helper()
	rows, err := m.pool.Query(m.t.Context(), m.checksums)
	if err != nil {
		m.t.Fatal(err)
	}
	sum, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
	if err != nil {
		m.t.Fatal(err)
	}
	return sum
}

// checksumStatement returns the statement of sum, for all tables but those that are derived from others, which
// are maintained in the background. It leaves out the sequences of rows of changes, whose numbers a dry run uses
// and nobody sees, and all of a company that is not the default one, where rejected writes may leave gaps.
func (m *matrixService) checksumStatement() string {
	m.t.Helper()
	const derived = " and tablename !~ '(_changes|_totals|_counts|_batches)$|^read_model_'"
	const tokens = "(select string_agg(concat(id, revoked_at), ' ' order by id) from tokens)" // their use is recorded
	parts := []string{tokens, "(select string_agg(s::text, ' ' order by s::text) from pg_sequences s where schemaname = current_schema() and sequencename !~ '_changes_seq_seq$|^change_batches')"}
	if isCompany {
		parts = []string{tokens}
	}
	rows, err := m.pool.Query(m.t.Context(), "select tablename from pg_tables where schemaname = current_schema() and tablename not in ('tokens')"+derived)
	if err != nil {
		m.t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		m.t.Fatal(err)
	}
	if len(tables) < 10 {
		m.t.Fatalf("found only the tables %v", tables)
	}
	for _, table := range tables {
		parts = append(parts, fmt.Sprintf("(select coalesce(string_agg(r::text, ' ' order by r::text), '') from %s r)", pgx.Identifier{table}.Sanitize()))
	}
	return "select md5(concat_ws('|', " + strings.Join(parts, ", ") + "))"
}
