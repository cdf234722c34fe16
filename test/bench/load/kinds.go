package load

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/test/bench/data"
)

// Kind is one kind of request.
type Kind struct {
	Name        string
	Description string
	Method      string
	Baseline    bool // the baseline server answers it
	Slow        bool // measured over the smallest number of connections only

	paths  func(t *target) []string // taken in turn
	words  func(f *facts) []string  // each is appended to the path, and requested once
	bodies func(f *facts) []string  // of POST: %s is replaced by a new word; of PUT: sent to each path in turn
}

// IsWrite reports whether the kind changes data.
func (k *Kind) IsWrite() bool { return k.Method != http.MethodGet }

// Kinds are all kinds of requests, the reads first.
var Kinds = []*Kind{
	{
		Name: "clients-first", Description: "clients, page 1", Method: http.MethodGet, Baseline: true,
		paths: fixed("/rest/client"),
	},
	{
		Name: "clients-user-name", Description: "clients of one user by name", Method: http.MethodGet, Baseline: true,
		paths: func(t *target) []string {
			return []string{fmt.Sprintf("/rest/client?user_id=%d&sort=name", t.facts.users[0])}
		},
	},
	{
		Name: "clients-rare-same", Description: "clients by a rare part of the name, repeated", Method: http.MethodGet,
		paths: fixed("/rest/client?name=" + data.RareWord),
	},
	{
		Name: "clients-rare-new", Description: "clients by a rare part of the name, a new one each time", Method: http.MethodGet,
		paths: fixed("/rest/client?name="),
		words: func(f *facts) []string { return f.rareWords },
	},
	{
		Name: "clients-common-same", Description: "clients by a common part of the name, repeated", Method: http.MethodGet, Baseline: true,
		paths: fixed("/rest/client?name=" + data.CommonWord),
	},
	{
		Name: "clients-common-new", Description: "clients by a common part of the name, a new one each time", Method: http.MethodGet, Slow: true,
		paths: fixed("/rest/client?name="),
		words: func(f *facts) []string { return f.commonWords },
	},
	{
		Name: "clients-counts", Description: "clients with all counts and the user", Method: http.MethodGet,
		paths: fixed("/rest/client?count_deals=1&count_offers=1&count_contracts=1&count_invoices=1&expand=user"),
	},
	{
		Name: "invoices-first", Description: "invoices, page 1, expanded as by default", Method: http.MethodGet, Baseline: true,
		paths: fixed("/rest/invoice"),
	},
	{
		Name: "invoices-month-status", Description: "invoices of a month of a year and a status", Method: http.MethodGet, Baseline: true,
		paths: func(t *target) []string {
			return []string{fmt.Sprintf("/rest/invoice?year=%d&month=%d&status_id=%d", t.facts.year, t.facts.month, t.facts.status)}
		},
	},
	{
		Name: "invoices-month", Description: "invoices of a month of any year", Method: http.MethodGet,
		paths: func(t *target) []string { return []string{fmt.Sprintf("/rest/invoice?month=%d", t.facts.month)} },
	},
	{
		Name: "invoices-client", Description: "invoices of the client with most of them", Method: http.MethodGet,
		paths: func(t *target) []string {
			return []string{fmt.Sprintf("/rest/invoice?client_id=%d", t.facts.largestClient)}
		},
	},
	{
		Name: "clients-last", Description: "clients, the last page", Method: http.MethodGet,
		paths: func(t *target) []string { return []string{fmt.Sprintf("/rest/client?page=%d", (t.facts.clients+9)/10)} },
	},
	{
		Name: "clients-walk", Description: "clients, 100 pages from the middle on by Link", Method: http.MethodGet,
		paths: func(t *target) []string { return t.walk },
	},
	{
		Name: "client-read", Description: "one client", Method: http.MethodGet, Baseline: true,
		paths: clientPaths,
	},
	{
		Name: "client-create", Description: "create a client", Method: http.MethodPost, Baseline: true,
		paths:  fixed("/rest/client"),
		bodies: newClients,
	},
	{
		Name: "client-create-bare", Description: "create a client, beside a bare insert", Method: http.MethodPost, Baseline: true,
		paths:  fixed("/rest/client?bare=1"), // ignored by the service
		bodies: newClients,
	},
	{
		Name: "invoice-create", Description: "create an invoice of five lines", Method: http.MethodPost,
		paths:  fixed("/rest/invoice"),
		bodies: newInvoices,
	},
	{
		Name: "client-move", Description: "move a client to another user", Method: http.MethodPut,
		paths: clientPaths,
		bodies: func(f *facts) []string {
			return []string{fmt.Sprintf(`{"user":%d}`, f.users[1]), fmt.Sprintf(`{"user":%d}`, f.users[2])}
		},
	},
	{
		Name: "invoice-pay", Description: "pay an invoice, and undo that", Method: http.MethodPut,
		paths:  func(t *target) []string { return recordPaths("/rest/invoice/", t.facts.unpaidInvoices) },
		bodies: func(*facts) []string { return []string{`{"paid":true}`, `{"paid":false}`} },
	},
}

func fixed(path string) func(*target) []string {
	return func(*target) []string { return []string{path} }
}

func clientPaths(t *target) []string { return recordPaths("/rest/client/", t.facts.someClients) }

func recordPaths(prefix string, ids []int64) []string {
	paths := make([]string, len(ids))
	for i, id := range ids {
		paths[i] = prefix + strconv.FormatInt(id, 10)
	}
	return paths
}

func newClients(*facts) []string {
	return []string{`{"name":"Bench %s GmbH","type":1,"email":"office@bench.example","phone":"+49 40 555 01",` +
		`"real_address":"Hafenstraße 1, 20457 Hamburg"}`}
}

func newInvoices(f *facts) []string {
	items := make([]string, 5)
	for i := range items {
		items[i] = fmt.Sprintf(`{"name":"Oak stool, size %d","units":"pcs","items_count":2.5,"item_price":"19.9900"}`, i)
	}
	bodies := make([]string, len(f.invoicedClients))
	for i, id := range f.invoicedClients {
		bodies[i] = fmt.Sprintf(`{"number":"%%s","date":"2025-12-04","performer_id":%d,"client_id":%d,"type_id":%d,"items":[%s]}`,
			f.performer, id, f.invoiceType, strings.Join(items, ","))
	}
	return bodies
}

// sequence returns the n-th request of a connection; ok is false when there are no more.
type sequence func(connection, n int) (r request, ok bool)

// sequence is what one round requests from a target. A kind with words uses a share of them, the next one each time.
func (k *Kind) sequence(t *target, share int) sequence {
	paths := k.paths(t)
	switch {
	case k.words != nil:
		words := t.nextWords(k, share)
		return func(int, int) (request, bool) {
			word, ok := <-words
			return request{method: k.Method, path: paths[0] + url.QueryEscape(word)}, ok
		}
	case k.Method == http.MethodPost:
		bodies := k.bodies(&t.facts)
		return func(int, int) (request, bool) {
			body := fmt.Sprintf(bodies[rand.IntN(len(bodies))], strconv.FormatUint(rand.Uint64(), 36))
			return request{method: k.Method, path: paths[0], body: body}, true
		}
	case k.Method == http.MethodPut:
		bodies := k.bodies(&t.facts)
		return func(connection, n int) (request, bool) {
			return request{method: k.Method, path: paths[connection%len(paths)], body: bodies[n%len(bodies)]}, true
		}
	}
	return func(connection, n int) (request, bool) {
		return request{method: k.Method, path: paths[(connection*13+n)%len(paths)]}, true
	}
}

// KindsNamed are the kinds of these names, all without any.
func KindsNamed(names []string) ([]*Kind, error) {
	if len(names) == 0 {
		return Kinds, nil
	}
	var named []*Kind
	for _, name := range names {
		i := slices.IndexFunc(Kinds, func(k *Kind) bool { return k.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no kind %q", name)
		}
		named = append(named, Kinds[i])
	}
	return named, nil
}
