package replicas_test

import (
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/replicas"
	"github.com/kontor-crm/kontor/test/testserver"
)

// BenchmarkReplicas compares requests to a service with a replica with those to one without, in
// pairs, so that what else the machine does concerns both. It reports the medians.
func BenchmarkReplicas(b *testing.B) {
	primary := replicas.NewPrimary(b)
	replica := primary.NewReplica("one")
	without := replicas.Instance(b, primary.URL(), nil)
	with := replicas.Instance(b, primary.URL(), []*replicas.Server{replica})
	reader := testserver.Token(b, with.Service, "reader", user.Manager)
	writer := testserver.Token(b, with.Service, "writer", user.Manager)
	id := requestOf(b, writer, http.MethodPost, with.URL+"/rest/client", client("Nordwind")).ID()
	time.Sleep(2 * time.Second) // the replica is used
	path := "/rest/client/" + strconv.FormatInt(id, 10)
	for name, send := range map[string]func(i testserver.Service){
		"read": func(i testserver.Service) { requestOf(b, reader, http.MethodGet, i.URL+path, nil) },
		"list": func(i testserver.Service) { requestOf(b, reader, http.MethodGet, i.URL+"/rest/client", nil) },
		"write": func(i testserver.Service) {
			requestOf(b, writer, http.MethodPost, i.URL+"/rest/client", client("Südwind"))
		},
	} {
		b.Run(name, func(b *testing.B) {
			var took [2][]time.Duration
			for b.Loop() {
				for n, i := range []testserver.Service{without, with} {
					start := time.Now()
					send(i)
					took[n] = append(took[n], time.Since(start))
				}
			}
			for n, unit := range []string{"µs-without", "µs-with"} {
				slices.Sort(took[n])
				b.ReportMetric(float64(took[n][len(took[n])/2].Microseconds()), unit)
			}
		})
	}
}

func requestOf(b *testing.B, token, method, url string, record replicas.Fields) replicas.Response {
	b.Helper()
	r, err := replicas.Send(b.Context(), token, method, url, record)
	if err != nil || !r.IsOK() {
		b.Fatalf("%s %s: %d %s, %v", method, url, r.Status, r.Body, err)
	}
	return r
}
