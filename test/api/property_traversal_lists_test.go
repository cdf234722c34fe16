package api_test

import (
	"math/rand/v2"
	"testing"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// stocked fills the service and gives its lists, with what the contract says of
// their sorting, their pages and their filters.
func stocked(t *testing.T, s *service) []*list {
	t.Helper()
	k := &stock{t: t, s: s, random: rand.New(rand.NewPCG(4, 13)), lists: map[string]*list{}}
	all := []*list{
		{path: "/rest/user", defaultSort: "name", sorts: map[string]kind{"id": figure, "name": words, "username": words, "fname": words, "lname": words, "email": words}},
		{path: "/rest/status", defaultSort: "name", sorts: map[string]kind{"id": figure, "name": words, "default": figure, "color": words}},
		{path: "/rest/deal-type", defaultSort: "name", sorts: map[string]kind{"id": figure, "name": words}},
		{path: "/rest/invoice-type", defaultSort: "title", sorts: map[string]kind{"id": figure, "title": words}},
		{path: "/rest/performer", defaultSort: "name", perPage: 20, sorts: map[string]kind{
			"id": figure, "status": figure, "name": words, "company_name": words, "company_address": words, "real_address": words, "bank_details": words,
			"company_details": words, "leader": words, "leader_rank": words, "booker": words, "phone": words, "email": words, "vat_use": figure,
			"vat_percent": figure, "stamp_file": words, "leader_sig_file": words, "booker_sig_file": words, "logo": words, "created_at": instant, "updated_at": instant,
		}},
		{path: "/rest/client", defaultSort: "created_at", perPage: 10, sorts: map[string]kind{
			"id": figure, "user": figure, "name": words, "type": figure, "email": words, "phone": words, "real_address": words, "description": words,
			"created_at": newest, "updated_at": instant,
		}},
		{path: "/rest/contact", defaultSort: "id", perPage: 20, pagesAsked: true, sorts: map[string]kind{
			"id": figure, "name": words, "phone": words, "mobile": words, "email": words, "rank": words,
		}},
		{path: "/rest/deal", defaultSort: "created_at", perPage: 20, sorts: map[string]kind{
			"id": figure, "name": words, "client_id": figure, "user": figure, "type_id": figure, "status_id": figure, "created_at": newest, "updated_at": instant,
		}},
		{path: "/rest/offer", defaultSort: "created_on", perPage: 20, sorts: sortsOfPapers},
		{path: "/rest/contract", defaultSort: "created_on", perPage: 20, sorts: sortsOfPapers},
		{path: "/rest/invoice", defaultSort: "created_on", perPage: 20, sorts: map[string]kind{
			"id": figure, "user_id": figure, "paid": figure, "closed": figure, "number": words, "date": instant, "notice": words, "deal_id": figure,
			"total_count": figure, "total_price": figure, "vat_price": figure, "pay_price": figure, "created_on": newest, "paid_on": instant,
			"updated_on": instant, "update_on": instant,
		}},
		{path: "/rest/invoice-items", defaultSort: "id", perPage: 20, sorts: map[string]kind{
			"id": figure, "invoice_id": figure, "name": words, "units": words, "count": figure, "price": figure, "total_price": figure,
		}},
	}
	tables := []*readmodel.Resource{
		readmodel.Users, readmodel.Statuses, readmodel.DealTypes, readmodel.InvoiceTypes, readmodel.Performers, readmodel.Clients,
		readmodel.Contacts, readmodel.Deals, readmodel.Offers, readmodel.Contracts, readmodel.Invoices, readmodel.InvoiceItems,
	}
	for _, l := range all {
		k.lists[l.path] = l
	}
	k.people()
	k.labels()
	k.dealings()
	k.bills()
	s.rebuild()
	k.filtered()
	for i, l := range all {
		k.indexed(l.path, tables[i])
	}
	return all
}

var sortsOfPapers = map[string]kind{"id": figure, "deal_id": figure, "number": words, "date": instant, "notice": words, "created_on": newest}

// filtered gives the lists their filters.
func (k *stock) filtered() {
	// of is a filter by value for a reference; no record has the last id.
	of := func(l *list, name, path string) filter { return byValue(name, path, 99_999, l.records) }
	clients, deals, invoices, lines := k.lists["/rest/client"], k.lists["/rest/deal"], k.lists["/rest/invoice"], k.lists["/rest/invoice-items"]
	clients.filters = []filter{
		of(clients, "user_id", "user"), byValue("type", "type", 1, clients.records), byPart("name", "name", clients.records),
		byPart("search", "name", clients.records), byWhole("email", "email", clients.records),
	}
	deals.filters = []filter{
		of(deals, "client_id", "client_id"), of(deals, "user_id", "user"), of(deals, "status_id", "status_id"), of(deals, "type_id", "type_id"),
		byPart("name", "name", deals.records),
	}
	for _, path := range []string{"/rest/offer", "/rest/contract"} {
		papers := k.lists[path]
		papers.filters = []filter{of(papers, "deal_id", "deal_id"), of(papers, "client_id", "client_id"), byPart("number", "number", papers.records)}
	}
	k.lists["/rest/contact"].must = k.ofClientOrDeal()
	years, months := []string{"2023", "2024", "1900", "9999", "0001"}, []string{"1", "2", "5", "12", "08"}
	invoices.filters = []filter{
		byPart("number", "number", invoices.records), byPart("company", "company.name", invoices.records),
		of(invoices, "client_id", "company.id"), of(invoices, "deal_id", "deal_id"), of(invoices, "user_id", "user_id"), of(invoices, "type_id", "type.id"),
		byValue("status_id", "status.id", 1, invoices.records),
		byDate("year", "date", 0, 4, years...), byDate("month", "date", 5, 7, months...),
		byDate("paid_year", "paid_on", 0, 4, years...), byDate("paid_month", "paid_on", 5, 7, months...),
	}
	lines.filters = []filter{of(lines, "invoice_id", "invoice_id"), byPart("name", "name", lines.records)}
}
