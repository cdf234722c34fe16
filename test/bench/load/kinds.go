package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/test/rest"
)

// sequence returns the path and the body of the n-th request of a round; without a body it is a GET.
type sequence struct {
	next   func(n int) (path, body string)
	length int // 0: no end
}

type kind struct {
	name     string
	requests func(*sample) sequence
}

var kinds = []kind{
	{"clients", random(func(*sample) (string, string) { return "/rest/client", "" })},
	{"clients-of-user", random(func(s *sample) (string, string) { return fmt.Sprintf("/rest/client?user_id=%d&sort=name", s.user), "" })},
	{"clients-with-counts", random(func(*sample) (string, string) {
		return "/rest/client?count_deals=1&count_offers=1&count_contracts=1&count_invoices=1&expand=user", ""
	})},
	{"invoices", random(func(*sample) (string, string) { return "/rest/invoice", "" })},
	{"invoices-of-month", random(func(s *sample) (string, string) { return "/rest/invoice?status_id=1&" + s.month, "" })},
	{"client-by-id", random(func(s *sample) (string, string) { return "/rest/client/" + one(s.clients), "" })},
	{"invoice-by-id", random(func(s *sample) (string, string) { return "/rest/invoice/" + one(s.invoices), "" })},
	{"client-create", random(func(*sample) (string, string) {
		return "/rest/client", fmt.Sprintf(`{"name":"Bench %x GmbH","type":1,"email":"office@bench.example",`+
			`"phone":"+49 40 555 01","real_address":"Hafenstraße 1, 20457 Hamburg"}`, rand.Uint64())
	})},
	{"invoice-create", random(func(s *sample) (string, string) {
		item := `{"name":"Oak stool","units":"pcs","items_count":2.5,"item_price":"19.9900"}`
		return "/rest/invoice", fmt.Sprintf(`{"number":"%x","date":"2025-12-04","performer_id":%d,"client_id":%s,"type_id":%d,"items":[%s]}`,
			rand.Uint64(), s.performer, one(s.clients), s.kind, strings.Join(slices.Repeat([]string{item}, 5), ","))
	})},
	{"search", func(s *sample) sequence {
		return sequence{func(n int) (string, string) { return "/rest/client?name=" + url.QueryEscape(s.texts[n]), "" }, len(s.texts)}
	}},
}

// slowQueries are lists without an index, and searches for two letters.
var slowQueries = sequence{next: func(n int) (string, string) {
	text := strconv.FormatUint(rand.Uint64()|1<<63, 36)
	if n%2 == 0 {
		return "/rest/invoice-items?name=" + text[:5], ""
	}
	return "/rest/client?name=" + text[1:3], ""
}}

func random(request func(*sample) (path, body string)) func(*sample) sequence {
	return func(s *sample) sequence { return sequence{next: func(int) (string, string) { return request(s) }} }
}

func one(ids []int64) string { return strconv.FormatInt(ids[rand.IntN(len(ids))], 10) }

// kindsNamed are the kinds of these comma-separated names, all without any.
func kindsNamed(names string) (named []kind, err error) {
	if names == "" {
		return kinds, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no kind %q", name)
		}
		named = append(named, kinds[i])
	}
	return named, nil
}

// sample is what the requests name of a database.
type sample struct {
	user, performer, kind int64
	month                 string // the parameters for that of the newest invoice
	clients, invoices     []int64
	texts                 []string // parts of clients' names, nine letters each, no two the same
}

// share is the sample with the texts of a round: each is searched for in one round only.
func (s *sample) share(round, rounds int) *sample {
	shared := *s
	shared.texts = s.texts[len(s.texts)*round/rounds : len(s.texts)*(round+1)/rounds]
	return &shared
}

// readSample reads pages at equal distances over HTTP.
func readSample(ctx context.Context, c rest.Client, texts int) (*sample, error) {
	type record struct {
		ID, User        int64
		Name, Date      string
		Type, Performer struct{ ID int64 }
	}
	const perPage, pages, letters = 500, 20, 9
	s, seen := new(sample), map[string]bool{}
	var newest struct{ Items []record }
	list := fmt.Sprintf("/rest/invoice?fields=id,date,type,performer&expand=type,performer&per_page=%d", perPage)
	if _, err := c.Call(ctx, "GET", list, nil, &newest); err != nil || len(newest.Items) == 0 {
		return nil, fmt.Errorf("the database is none of make bench-data: it has no invoices (%w)", err)
	}
	for _, invoice := range newest.Items {
		s.invoices, s.kind, s.performer = append(s.invoices, invoice.ID), invoice.Type.ID, invoice.Performer.ID
	}
	date := newest.Items[0].Date
	s.month = "year=" + date[:4] + "&month=" + strings.TrimPrefix(date[5:7], "0")
	for page, last := 0, 0; page < pages; page++ {
		var clients struct{ Items []record }
		response, err := c.Call(ctx, "GET", fmt.Sprintf("/rest/client?fields=id,user,name&per_page=%d&page=%d", perPage, 1+last*page/pages), nil, &clients)
		if err != nil {
			return nil, err
		}
		last, _ = strconv.Atoi(response.Header.Get("X-Pagination-Page-Count")) // 0 reads the first page again
		for _, client := range clients.Items {
			s.clients, s.user = append(s.clients, client.ID), client.User
			for name := []rune(strings.ToLower(client.Name)); len(name) >= letters && len(s.texts) < texts; name = name[1:] {
				if text := string(name[:letters]); !seen[text] && text == strings.TrimSpace(text) {
					s.texts, seen[text] = append(s.texts, text), true
				}
			}
		}
	}
	return s, nil
}
