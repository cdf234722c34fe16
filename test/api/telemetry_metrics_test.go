package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// withMetrics enables metrics.
func withMetrics(c *bootstrap.Config) { c.AdminListen = "127.0.0.1:0" }

// adminGet returns the response of the admin listener.
func (s *service) adminGet(path string) (status int, body string) {
	s.t.Helper()
	w := httptest.NewRecorder()
	s.admin.ServeHTTP(w, httptest.NewRequestWithContext(s.t.Context(), http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

// metrics returns all series with their values.
func (s *service) metrics() map[string]float64 {
	s.t.Helper()
	status, text := s.adminGet("/metrics")
	if status != http.StatusOK {
		s.t.Fatalf("/metrics returned %d", status)
	}
	all := map[string]float64{}
	for line := range strings.Lines(text) {
		at := strings.LastIndexByte(line, ' ')
		if strings.HasPrefix(line, "#") || at < 0 {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(line[at:]), 64)
		if err != nil {
			s.t.Fatalf("%s: %v", line, err)
		}
		all[line[:at]] = value
	}
	return all
}

func TestMetricsCountRequests(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the pool of its connections")
	s := startBilling(t, withMetrics, func(c *bootstrap.Config) { c.RateLimit = 100_000 })
	before := s.metrics()
	manager := s.as("manager")
	s.as("manager").post("/rest/deal", fields{"name": "Roof", "client_id": 1}).wants(200)
	for range 2 {
		manager.with("Idempotency-Key", "once").post("/rest/invoice", bill(fields{"deal_id": 1})).wants(200)
	}
	manager.post("/rest/invoice", bill(fields{"deal_id": 4711})).wants(422)
	manager.get("/rest/client/1").wants(200)
	manager.get("/rest/client/4711").wants(404)
	s.nobody().get("/rest/client/1").wants(401)
	s.nobody().get("/no/such/path").wants(404)
	s.nobody().get("/no/other/path").wants(404)
	after := s.metrics()
	for series, want := range map[string]float64{
		`kontor_http_requests_total{method="GET",route="/rest/client/{id}",status="200"}`:       1,
		`kontor_http_requests_total{method="GET",route="/rest/client/{id}",status="404"}`:       1,
		`kontor_http_requests_total{method="GET",route="/rest/client/{id}",status="401"}`:       1,
		`kontor_http_requests_total{method="GET",route="unmatched",status="404"}`:               2,
		`kontor_http_requests_total{method="POST",route="/rest/invoice",status="200"}`:          2,
		`kontor_http_requests_total{method="POST",route="/rest/invoice",status="422"}`:          1,
		`kontor_http_request_duration_seconds_count{method="GET",route="/rest/client/{id}"}`:    3,
		`kontor_http_request_duration_seconds_bucket{method="GET",route="unmatched",le="+Inf"}`: 2,
		`kontor_records_created_total{resource="invoice"}`:                                      1,
		`kontor_records_created_total{resource="deal"}`:                                         1,
		`kontor_records_created_total{resource="client"}`:                                       0,
		`kontor_tokens_rejected_total`:                                                          1,
		`kontor_rate_limited_total`:                                                             0,
		`kontor_http_requests_in_flight`:                                                        0,
	} {
		if got := after[series] - before[series]; got != want {
			t.Errorf("%s increased by %v, want %v", series, got, want)
		}
	}
	for _, series := range []string{
		`kontor_database_statements_total{method="GET",route="/rest/client/{id}"}`,
		`kontor_database_seconds_total{method="POST",route="/rest/invoice"}`,
		`kontor_http_response_bytes_total{method="GET",route="/rest/client/{id}"}`,
		`kontor_pool_acquires_total`,
	} {
		if after[series] <= before[series] {
			t.Errorf("%s did not increase: %v, %v", series, before[series], after[series])
		}
	}
	if s := after[`kontor_database_seconds_total{method="POST",route="/rest/invoice"}`]; s > 60 {
		t.Errorf("the database took %v seconds", s)
	}
}

func TestMetricsReportPoolAndReadModels(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "its pool and read models")
	s := start(t, withMetrics)
	s.rebuild()
	for series, want := range map[string]float64{
		`kontor_database_up`:            1,
		`kontor_pool_max_connections`:   16,
		`kontor_readmodel_ready`:        1,
		`kontor_readmodel_open_batches`: 1,
	} {
		if got, ok := s.metrics()[series]; !ok || got != want {
			t.Errorf("%s is %v, %v; want %v", series, got, ok, want)
		}
	}
	folds := s.metrics()["kontor_readmodel_folds_total"]
	s.as("manager").post("/rest/client", fields{"type": 1, "name": "Acme"}).wants(200)
	for deadline := time.Now().Add(20 * time.Second); s.metrics()["kontor_readmodel_folds_total"] != folds+1; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the service does not fold, or more than once: %v, %v before", s.metrics()["kontor_readmodel_folds_total"], folds)
		}
	}
	s.corruptReadModels()
	if m := s.metrics(); m[`kontor_readmodel_ready{model="lists"}`] != 0 || m[`kontor_readmodel_ready{model="search"}`] != 0 {
		t.Error("missing read models are reported as ready")
	}
}

func TestMetricsReportReadModelsWhileRequestsHoldAllConnections(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the pool of its connections")
	s := start(t, withMetrics, func(c *bootstrap.Config) { c.MaxConnections = 4 })
	s.as("viewer").get("/rest/client").wants(http.StatusOK) // its token is known
	pool, release := s.holdLock("lock table clients in access exclusive mode")
	responses := make(chan *reply, 2)
	for range cap(responses) {
		go func() { responses <- s.as("viewer").get("/rest/client") }()
	}
	for pgtest.LockWaits(t, pool) < 2 {
		time.Sleep(time.Millisecond)
	}
	if m := s.metrics(); m["kontor_database_up"] != 1 {
		t.Errorf("kontor_database_up is %v while requests wait for a lock, want 1", m["kontor_database_up"])
	}
	release()
	for range cap(responses) {
		(<-responses).wants(http.StatusOK)
	}
}

func TestVersionEndpoint(t *testing.T) {
	t.Parallel()
	s := start(t, withMetrics, func(c *bootstrap.Config) { c.TimeZone = "Europe/Berlin" })
	type response struct {
		bootstrap.Version
		TimeZone string
	}
	var v, same response
	s.nobody().get("/version").wants(200).decode(&v)
	if want := (response{bootstrap.BuildVersion(), "Europe/Berlin"}); v != want || v.Version.Version == "" || !strings.HasPrefix(v.Go, "go1.") {
		t.Errorf("it is %+v, want %+v", v, want)
	}
	if _, body := s.adminGet("/version"); json.Unmarshal([]byte(body), &same) != nil || same != v {
		t.Errorf("the admin listener returned %s", body)
	}
	if info := s.metrics()[`kontor_build_info{commit="`+v.Commit+`",go="`+v.Go+`",version="`+v.Version.Version+`"}`]; info != 1 {
		t.Errorf("kontor_build_info is %v", info)
	}
}

// metricName matches the name of a metric in an expression: a word before a brace.
var metricName = regexp.MustCompile(`[a-z_]+\{`)

func TestMetricsAreDocumentedAndShownByTheDashboard(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := serve(t, url, withMetrics, withOfficeClock)
	s.addUsers()
	s.as("viewer").get("/rest/client").wants(200)
	s.as("manager").post("/rest/client", fields{"type": 1, "name": "Acme"}).wants(200) // asks a rule
	s.addCompany("bakery", "UTC").as("viewer").get("/rest/client").wants(200)
	there := s.metricNames()
	checkDescribed(t, ownMetrics(there))
	text, err := os.ReadFile("../../docs/grafana-dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Type    string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, p := range dashboard.Panels {
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("the panel %q has no query", p.Title)
		}
		for _, target := range p.Targets {
			for _, name := range metricName.FindAllString(target.Expr, -1) {
				shown[strings.TrimSuffix(name, "{")] = true
			}
		}
	}
	if missing := slices.DeleteFunc(slices.Sorted(maps.Keys(shown)), func(name string) bool { return there[name] }); len(missing) > 0 {
		t.Errorf("the dashboard uses unknown metrics %v", missing)
	}
	for _, name := range ownMetrics(there) {
		if !shown[name] && !shown[name+"_bucket"] {
			t.Errorf("no panel shows %s", name)
		}
	}
}

// checkDescribed compares the metrics with those on the page about them.
func checkDescribed(t *testing.T, own []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/running.md")
	if err != nil {
		t.Fatal(err)
	}
	var described []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(kontor_[a-z_]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		described = append(described, row[1])
	}
	if diff := cmp.Diff(own, slices.Sorted(slices.Values(described))); diff != "" {
		t.Errorf("docs/running.md: -metrics +described\n%s", diff)
	}
}

// metricNames returns the names of all series.
func (s *service) metricNames() map[string]bool {
	s.t.Helper()
	there := map[string]bool{}
	for series := range s.metrics() {
		name, _, _ := strings.Cut(series, "{")
		there[name] = true
	}
	return there
}

// ownMetrics returns the service's own metrics among the names of series; a histogram
// has three names.
func ownMetrics(names map[string]bool) []string {
	own := map[string]bool{}
	for name := range names {
		if strings.HasPrefix(name, "kontor_") {
			own[regexp.MustCompile("_(bucket|sum|count)$").ReplaceAllString(name, "")] = true
		}
	}
	return slices.Sorted(maps.Keys(own))
}
