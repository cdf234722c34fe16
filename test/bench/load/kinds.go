package load

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/test/bench/data"
	"github.com/kontor-crm/kontor/test/bench/floor"
)

// way is how the requests of a kind follow one another.
type way uint8

const (
	again   way = iota // the same ones over and over, every connection from another place
	inOrder            // every connection from the first one on
	anew               // a word that was never asked for, until there are none
	created            // a record with a word of its own
	turns              // every connection changes a record of its own to and fro
)

// Kind is one kind of request.
type Kind struct {
	Name string
	Say  string // what it is, in words

	way      way
	table    *readmodel.Resource
	ask      readmodel.Asking
	method   string
	uris     []string
	bodies   []string // of a write: with %s for the word; of turns: for each address the two
	words    []string // of anew
	follow   int      // so many pages, by the link to the next one
	atRest   bool     // measured with the smallest number of connections only
	isRecord bool
}

// IsWrite tells of kinds that change the data.
func (k *Kind) IsWrite() bool { return k.method != "" }

const (
	clientList  = "/rest/client"
	invoiceList = "/rest/invoice"
)

// kindsOf are the kinds, with the requests for this database.
func kindsOf(f facts) []*Kind {
	counts := []string{"count_deals", "count_offers", "count_contracts", "count_invoices"}
	clients := func(name, say, query string) *Kind {
		return &Kind{Name: name, Say: say, table: readmodel.Clients, uris: []string{clientList + query}}
	}
	invoices := func(name, say, query string) *Kind {
		return &Kind{Name: name, Say: say, table: readmodel.Invoices, uris: []string{invoiceList + query}}
	}
	counted := clients("clients-counts", "clients with all counts and the user", "?"+strings.Join(counts, "=1&")+"=1&expand=user")
	counted.ask = readmodel.Asking{Counts: counts, Expand: optional.Some("user")}
	rare := clients("clients-rare-new", "clients by a rare part of the name, a new one each time", "?name=")
	rare.way, rare.words = anew, f.rare
	common := clients("clients-common-new", "clients by a common part of the name, a new one each time", "?name=")
	common.way, common.words, common.atRest = anew, f.common, true
	last := clients("clients-last", "clients, the last page", "?page=last")
	walk := clients("clients-walk", "clients, 100 pages from the middle on by Link", "?page=middle")
	walk.way, walk.follow = inOrder, 100
	one := &Kind{Name: "client-read", Say: "one client", table: readmodel.Clients, isRecord: true}
	for _, id := range f.someone {
		one.uris = append(one.uris, clientList+"/"+strconv.FormatInt(id, 10))
	}
	return append([]*Kind{
		clients("clients-first", "clients, page 1", ""),
		clients("clients-user-name", "clients of one user by name", "?user_id="+strconv.FormatInt(f.users[0], 10)+"&sort=name"),
		clients("clients-rare-same", "clients by a rare part of the name, the same again", "?name="+data.RareWord),
		rare,
		clients("clients-common-same", "clients by a common part of the name, the same again", "?name="+data.CommonWord),
		common,
		counted,
		invoices("invoices-first", "invoices, page 1, expanded as by default", ""),
		invoices("invoices-month-status", "invoices of a month of a year and a status", fmt.Sprintf("?year=%d&month=%d&status_id=%d", f.busiest[0], f.busiest[1], f.busiest[2])),
		invoices("invoices-month", "invoices of a month of any year", fmt.Sprintf("?month=%d", f.busiest[1])),
		invoices("invoices-client", "invoices of the client with most of them", "?client_id="+strconv.FormatInt(f.payer, 10)),
		last, walk, one,
	}, writesOf(f)...)
}

func writesOf(f facts) []*Kind {
	client := &Kind{
		Name: "client-create", Say: "create a client", way: created, method: "POST", table: readmodel.Clients, isRecord: true,
		uris: []string{clientList},
		bodies: []string{`{"name":"Bench %s GmbH","type":1,"email":"office@bench.example","phone":"+49 40 555 01",` +
			`"real_address":"Hafenstraße 1, 20457 Hamburg"}`},
	}
	invoice := &Kind{
		Name: "invoice-create", Say: "create an invoice of five lines", way: created, method: "POST", table: readmodel.Invoices, isRecord: true,
		uris: []string{invoiceList},
	}
	var lines []string
	for n := range 5 {
		lines = append(lines, fmt.Sprintf(`{"name":"Oak stool, size %d","units":"pcs","items_count":2.5,"item_price":"19.9900"}`, n))
	}
	for _, id := range f.someone {
		invoice.bodies = append(invoice.bodies, fmt.Sprintf(
			`{"number":"%%s","date":"2025-12-04","performer_id":%d,"client_id":%d,"type_id":%d,"items":[%s]}`,
			f.performer, id, f.kind, strings.Join(lines, ",")))
	}
	move := &Kind{
		Name: "client-move", Say: "move a client to another owner", way: turns, method: "PUT", table: readmodel.Clients, isRecord: true,
		bodies: []string{fmt.Sprintf(`{"user":%d}`, f.users[1]), fmt.Sprintf(`{"user":%d}`, f.users[2])},
	}
	for _, id := range f.someone {
		move.uris = append(move.uris, clientList+"/"+strconv.FormatInt(id, 10))
	}
	pay := &Kind{
		Name: "invoice-pay", Say: "pay an invoice, and take that back", way: turns, method: "PUT", table: readmodel.Invoices, isRecord: true,
		bodies: []string{`{"paid":true}`, `{"paid":false}`},
	}
	for _, id := range f.unpaid {
		pay.uris = append(pay.uris, invoiceList+"/"+strconv.FormatInt(id, 10))
	}
	return []*Kind{client, invoice, move, pay}
}

// freshWord is a word for a body, which no record has yet.
func freshWord() string {
	text := make([]byte, floor.WordLength-len(floor.WordMark))
	for i := range text {
		text[i] = "0123456789abcdefghijklmnoprstuvwxy"[rand.IntN(34)] // without the letters of the mark
	}
	return floor.WordMark + string(text)
}

// stream hands out the requests of a kind to one server.
type stream struct {
	kind  *Kind
	used  atomic.Int64 // words
	limit int64        // words that this round may use
}

// budget lets the next round use so many new words.
func (s *stream) budget(n int) { s.limit = min(s.used.Load()+int64(n), int64(len(s.kind.words))) }

// state is which way each record of turns goes next; both servers change the same records.
type state struct{ turn []int }

func (s *stream) source(st *state) source {
	k := s.kind
	switch k.way {
	case inOrder:
		return func(_, n int) (Request, bool) { return Request{Method: "GET", URI: k.uris[n%len(k.uris)]}, true }
	case anew:
		return func(int, int) (Request, bool) {
			n := s.used.Add(1) - 1
			if n >= s.limit {
				s.used.Add(-1)
				return Request{}, false
			}
			return Request{Method: "GET", URI: k.uris[0] + url.QueryEscape(k.words[n])}, true
		}
	case created:
		return func(connection, n int) (Request, bool) {
			body := k.bodies[(connection+n*7)%len(k.bodies)]
			return Request{Method: k.method, URI: k.uris[0], Body: fmt.Sprintf(body, freshWord())}, true
		}
	case turns:
		return func(connection, _ int) (Request, bool) {
			at := connection % len(k.uris)
			st.turn[at]++
			return Request{Method: k.method, URI: k.uris[at], Body: k.bodies[st.turn[at]%2]}, true
		}
	}
	return func(connection, n int) (Request, bool) {
		return Request{Method: "GET", URI: k.uris[(connection*13+n)%len(k.uris)]}, true
	}
}

// chosen are the kinds of these names, all without any.
func chosen(kinds []*Kind, names []string) ([]*Kind, error) {
	if len(names) == 0 {
		return kinds, nil
	}
	var some []*Kind
	for _, name := range names {
		i := slices.IndexFunc(kinds, func(k *Kind) bool { return k.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no kind %q", name)
		}
		some = append(some, kinds[i])
	}
	return some, nil
}
