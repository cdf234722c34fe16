package api_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// span is a received span.
type span struct {
	*trace.Span
	service string // of the resource
	said    map[string]string
}

func (s span) id() string     { return fmt.Sprintf("%x", s.SpanId) }
func (s span) parent() string { return fmt.Sprintf("%x", s.ParentSpanId) }
func (s span) trace() string  { return fmt.Sprintf("%x", s.TraceId) }

// receiver receives traces, as a collector does.
type receiver struct {
	t       *testing.T
	mu      sync.Mutex
	spans   []span
	raw     strings.Builder // all received bytes
	headers http.Header
}

// tracing makes the services of this test export traces to the receiver. The test must
// not be parallel, because it sets environment variables.
func tracing(t *testing.T, variables ...string) *receiver {
	t.Helper()
	r := &receiver{t: t}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	var sent collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &sent)
	}
	if err != nil || request.URL.Path != "/v1/traces" {
		r.t.Errorf("received at %s: %v", request.URL.Path, err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.headers = request.Header
	r.raw.Write(body)
	for _, of := range sent.ResourceSpans {
		for _, scoped := range of.ScopeSpans {
			for _, s := range scoped.Spans {
				r.spans = append(r.spans, span{s, values(of.Resource.Attributes)["service.name"], values(s.Attributes)})
			}
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func values(attributes []*common.KeyValue) map[string]string {
	all := map[string]string{}
	for _, a := range attributes {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			all[a.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			all[a.Key] = fmt.Sprint(v.IntValue)
		case *common.AnyValue_ArrayValue:
			var texts []string
			for _, element := range v.ArrayValue.Values {
				texts = append(texts, element.GetStringValue())
			}
			all[a.Key] = strings.Join(texts, ",")
		}
	}
	return all
}

// request waits for the span of a request with the name, and gives it with those
// below it.
func (r *receiver) request(name string) (of span, below []span) {
	r.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		r.mu.Lock()
		spans := append([]span(nil), r.spans...)
		r.mu.Unlock()
		for _, s := range spans {
			if s.Name == name && s.Kind == trace.Span_SPAN_KIND_SERVER {
				of = s
			}
		}
		if of.Span == nil {
			continue
		}
		for _, s := range spans {
			if s.parent() == of.id() {
				below = append(below, s)
			}
		}
		return of, below
	}
	r.t.Fatalf("there is no span %q", name)
	return of, nil
}

const (
	callersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	callersSpan  = "00f067aa0ba902b7"
	sampled      = "00-" + callersTrace + "-" + callersSpan + "-01"
)

func TestTracesContinueCallerTrace(t *testing.T) {
	r := tracing(t, "OTEL_SERVICE_NAME=billing", "OTEL_EXPORTER_OTLP_HEADERS=api-key=of-the-collector")
	s := startBilling(t)
	s.as("manager").with("traceparent", sampled).with("tracestate", "vendor=here").get("/rest/client/1").wants(200)
	of, below := r.request("GET /rest/client/{id}")
	if of.trace() != callersTrace || of.parent() != callersSpan || of.TraceState != "vendor=here" || of.service != "billing" {
		t.Errorf("the span is in trace %s below %s with state %q of %q", of.trace(), of.parent(), of.TraceState, of.service)
	}
	for name, want := range map[string]string{
		"http.request.method": "GET", "http.route": "/rest/client/{id}", "url.scheme": "http", "url.path": "/rest/client/1",
		"http.response.status_code": "200", "user.id": "2", "kontor.rows": "1",
	} {
		if of.said[name] != want {
			t.Errorf("%s is %q, want %q", name, of.said[name], want)
		}
	}
	found := false
	for _, s := range below {
		if s.trace() != callersTrace || s.Kind != trace.Span_SPAN_KIND_CLIENT || s.said["db.system.name"] != "postgresql" {
			t.Errorf("the span %s is in trace %s, a %s of %q", s.Name, s.trace(), s.Kind, s.said["db.system.name"])
		}
		if s.StartTimeUnixNano < of.StartTimeUnixNano || s.EndTimeUnixNano > of.EndTimeUnixNano || s.EndTimeUnixNano < s.StartTimeUnixNano {
			t.Errorf("the span %s is not within that of the request", s.Name)
		}
		text := strings.ToLower(s.said["db.query.text"])
		found = found || s.Name == "SELECT" && strings.Contains(text, "from clients") && strings.Contains(text, "$1")
	}
	if !found {
		t.Errorf("of %d spans none is of the statement that reads the client", len(below))
	}
	if r.headers.Get("api-key") != "of-the-collector" {
		t.Error("the collector does not get the configured headers")
	}
}

func TestTracesFollowEnvironmentSettings(t *testing.T) {
	database := start(t)
	for name, c := range map[string]struct {
		variables []string
		headers   map[string]string
		want      bool
	}{
		"by default":                 {nil, nil, true},
		"disabled":                   {[]string{"OTEL_SDK_DISABLED=true"}, nil, false},
		"no exporter":                {[]string{"OTEL_TRACES_EXPORTER=none"}, nil, false},
		"an unknown exporter":        {[]string{"OTEL_TRACES_EXPORTER=zipkin"}, nil, false},
		"a known exporter":           {[]string{"OTEL_TRACES_EXPORTER=otlp"}, nil, true},
		"not sampled by the caller":  {nil, map[string]string{"traceparent": "00-" + callersTrace + "-" + callersSpan + "-00"}, false},
		"sampled by the caller only": {[]string{"OTEL_TRACES_SAMPLER=parentbased_always_off"}, map[string]string{"traceparent": sampled}, true},
		"an invalid traceparent":     {nil, map[string]string{"traceparent": "4711"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := tracing(t, c.variables...)
			s := database.again(t)
			from := s.as("viewer")
			for name, value := range c.headers {
				from = from.with(name, value)
			}
			s.nobody().get("/healthz").wants(200)
			from.get("/rest/client").wants(200)
			if c.want {
				r.request("GET /rest/client")
			} else {
				time.Sleep(200 * time.Millisecond) // ten times the export delay
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			if !c.want && len(r.spans) > 0 {
				t.Errorf("there are %d spans", len(r.spans))
			}
			for _, s := range r.spans {
				if strings.Contains(s.Name, "healthz") {
					t.Errorf("there is a span %s", s.Name)
				}
			}
		})
	}
}

func TestServerTimingCountsStatements(t *testing.T) {
	t.Parallel()
	// Without a token no statement looks one up.
	s := startBilling(t, func(c *bootstrap.Config) { c.PublicLists = true })
	counted := regexp.MustCompile(`^total;dur=[\d.]+, db;dur=[\d.]+;desc="(\d+) quer(?:y|ies)", app;dur=[\d.]+$`)
	for path, want := range map[string]string{"/rest/status/1": "1", "/rest/status": "1", "/rest/status?sort=5": "0"} {
		got := s.nobody().with("Server-Timing", "1").get(path).header.Get("Server-Timing")
		if parts := counted.FindStringSubmatch(got); len(parts) != 2 || parts[1] != want {
			t.Errorf("%s: Server-Timing is %q, want %s statements", path, got, want)
		}
	}
}
