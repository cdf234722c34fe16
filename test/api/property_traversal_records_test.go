package api_test

import (
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/text/unicode/norm" //nolint:depguard // the order of texts is worked out here once more
	"pgregory.net/rapid"

	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// stock fills a service with records that have much in common: few values for
// each attribute, none for many, and moments that differ by less than is shown.
// It is the same for every run, so that a failing draw can be repeated.
type stock struct {
	t      *testing.T
	s      *service
	random *rand.Rand
	lists  map[string]*list
}

// decomposed is the text with its accents as characters of their own.
func decomposed(s string) string { return norm.NFD.String(s) }

var (
	names = []string{
		"Straße", "STRASSE", "strasse 1", "Äpfel", decomposed("Äpfel"), "äpfel", "apfel", "Zebra", "zebra", "ZEBRA", "10% off", "1_0", `a\b`,
		"Fin", "ﬁn", "ΣΊΣΥΦΟΣ", "Σίσυφος", "İstanbul", "ıspanak", "\u2126 ohm", "ω Ohm", "\U00010400", "\U00010428", "\uE000", "Ж", "日本", "a b", "a  b", "A",
	}
	mails   = []string{"a@example.org", "A@Example.ORG", "b@example.org", "straße@example.org", "STRASSE@example.org", "ä@example.org"}
	moments = []string{
		"2023-01-31 23:59:59", "2023-02-01 00:00:00", "2024-02-29 12:00:00", "2024-02-29 12:00:00.000001", "2024-02-29 12:00:00.5",
		"2024-12-31 23:59:59.999999", "2025-01-01 00:00:00",
	}
	dates = []string{"2023-12-31 23:59:59", "2024-01-01 00:00:00", "2024-05-31 12:00:00", "1900-01-01 00:00:00", "9999-12-31 23:59:59"}
)

// one of the values.
func one[T any](k *stock, values ...T) T { return values[k.random.IntN(len(values))] }

// some is one of the values or none.
func some[T any](k *stock, values ...T) any {
	if k.random.IntN(3) == 0 {
		return nil
	}
	return one(k, values...)
}

// besides is what is shown with a new record, if it is expanded, and not in the
// list.
var besides = map[string][]string{"/rest/contact": {"client", "deal"}, "/rest/invoice": {"items"}}

// add creates a record as the user and keeps it as it is shown.
func (k *stock) add(who, path string, body fields) stored {
	k.t.Helper()
	expand := map[string]string{"/rest/contact": "?expand=client,deal", "/rest/invoice": "?expand=company,manager,status,items"}
	return k.keep(path, k.s.as(who).post(path+expand[path], body).record())
}

func (k *stock) keep(path string, shown map[string]any) stored {
	record := stored{shown: shown, hidden: map[string]any{}, keys: map[string]any{}}
	for _, name := range besides[path] {
		record.hidden[name] = shown[name]
		delete(shown, name)
	}
	k.lists[path].records = append(k.lists[path].records, record)
	return record
}

// dated gives all records of the list moments in the database; the attributes
// are columns too. Where only says so, there is none. Whoever calls it makes anew
// what lists are read from.
func (k *stock) dated(path, table string, attributes []string, only func(stored) bool) {
	k.t.Helper()
	pool := pgtest.Pool(k.t, k.s.database)
	for _, name := range attributes {
		var ids, at []string
		for _, r := range k.lists[path].records {
			if !only(r) {
				continue
			}
			exact := one(k, moments...)
			ids, at = append(ids, text(r.shown["id"])), append(at, exact)
			r.keys[name], r.shown[name] = exact, exact[:len("2006-01-02 15:04:05")]
		}
		month := ""
		if name == "paid_on" {
			month = ", paid_month = 0" // made anew, too
		}
		if _, err := pool.Exec(k.t.Context(), fmt.Sprintf(`
update %s r
set %s = (u.at || '+00')::timestamptz%s
from unnest($1::text[], $2::text[]) u (id, at)
where r.id = u.id::bigint`, table, name, month), ids, at); err != nil {
			k.t.Fatal(err)
		}
	}
}

func always(stored) bool { return true }

// ids are the ids of the records of a list, in the order of their creation.
func (k *stock) ids(path string) []string {
	var ids []string
	for _, r := range k.lists[path].records {
		ids = append(ids, text(r.shown["id"]))
	}
	return ids
}

// indexed works out what the records sort by, where that is not known yet, and
// makes sure that the attributes are those that the service sorts by.
func (k *stock) indexed(path string, table *readmodel.Resource) {
	k.t.Helper()
	l := k.lists[path]
	var sortable []string
	for _, a := range table.Attributes {
		if a.Sort != readmodel.Unsorted {
			sortable = append(sortable, a.Name)
		}
	}
	slices.Sort(sortable)
	if known := slices.Sorted(maps.Keys(l.sorts)); !slices.Equal(known, sortable) {
		k.t.Fatalf("%s can be sorted by %v, and the test knows %v", path, sortable, known)
	}
	for _, r := range l.records {
		for name, kind := range l.sorts {
			if _, exact := r.keys[name]; !exact {
				r.keys[name] = sortKey(k.t, kind, r.shown[name])
			}
		}
	}
}

func sortKey(t testing.TB, kind kind, value any) any {
	t.Helper()
	switch v := value.(type) {
	case nil:
		return nil
	case bool:
		return new(big.Rat).SetInt64(map[bool]int64{true: 1}[v])
	}
	switch kind {
	case figure:
		return rat(t, text(value))
	case words:
		return folded(value.(string))
	}
	return value
}

// people adds users, who cannot be added over HTTP.
func (k *stock) people() {
	k.t.Helper()
	path := "/rest/user"
	optionally := func(values ...string) optional.Of[string] {
		if s, ok := some(k, values...).(string); ok {
			return optional.Some(s)
		}
		return optional.Of[string]{}
	}
	for i := range 20 {
		if _, err := k.s.commands.Users.Add(k.t.Context(), user.Attributes{
			Username:  optional.Some(fmt.Sprintf("%s%d", one(k, "u", "U", "ü"), i)),
			FirstName: optionally(names...), LastName: optionally(names[:5]...), Email: optionally(mails...),
			Role: optional.Some(user.Viewer),
		}); err != nil {
			k.t.Fatal(err)
		}
	}
	for id := range 24 {
		k.keep(path, k.s.as("viewer").get(path+"/"+strconv.Itoa(id+1)).record())
	}
}

// labels adds what deals and invoices refer to.
func (k *stock) labels() {
	for i := range 18 {
		k.add("admin", "/rest/status", fields{"name": one(k, names...), "default": i == 0, "color": some(k, "#ff0000", "#FF0000", "#00ff00", "#0000Ff")})
		k.add("admin", "/rest/deal-type", fields{"name": one(k, names...)})
		k.add("admin", "/rest/invoice-type", fields{"title": one(k, names...)})
	}
	for range 30 {
		k.add("admin", "/rest/performer", fields{
			"status": one(k, -1, 0, 1, 2147483647), "name": one(k, names...), "company_name": some(k, names...), "company_address": some(k, names...),
			"real_address": some(k, names...), "bank_details": some(k, names...), "company_details": some(k, names...), "leader": some(k, names...),
			"leader_rank": some(k, names...), "booker": some(k, names...), "phone": some(k, names...), "email": some(k, mails...),
			"vat_use": one(k, true, false), "vat_percent": one(k, "0", "7", "7.5", "20", "100"), "stamp_file": some(k, names...),
			"leader_sig_file": some(k, names...), "booker_sig_file": some(k, names...), "logo": some(k, names...),
		})
	}
	k.dated("/rest/performer", "performers", []string{"created_at", "updated_at"}, always)
}

// dealings adds clients, deals, their papers and contacts.
func (k *stock) dealings() {
	people := []int{1, 2, 4, 9}
	for range 45 {
		k.add("admin", "/rest/client", fields{
			"user": one(k, people...), "name": one(k, names...), "type": one(k, 1, 2), "email": some(k, mails...), "phone": some(k, "1", "+49 2", "x", "X"),
			"real_address": some(k, names...), "description": some(k, names...), "company_address": some(k, names...), "person_details": some(k, names...),
		})
	}
	clients := k.ids("/rest/client")
	for range 45 {
		k.add("admin", "/rest/deal", fields{
			"name": one(k, names...), "client_id": some(k, clients[:6]...), "user": one(k, people...), "type_id": some(k, k.ids("/rest/deal-type")[:4]...),
			"status_id": one(k, k.ids("/rest/status")[:5]...),
		})
	}
	deals := k.ids("/rest/deal")
	for range 35 {
		for _, path := range []string{"/rest/offer", "/rest/contract"} {
			deal := one(k, k.lists["/rest/deal"].records[:20]...)
			paper := k.add("manager", path, fields{
				"deal_id": deal.shown["id"], "number": one(k, names...), "date": some(k, dates...), "notice": some(k, names...),
			})
			paper.hidden["client_id"] = deal.shown["client_id"]
		}
	}
	for range 70 {
		link := fields{"client_id": one(k, clients[:3]...)}
		if k.random.IntN(2) == 0 {
			link = fields{"deal_id": one(k, deals[:8]...)}
		}
		k.add("manager", "/rest/contact", fieldsWith(link, fields{
			"name": one(k, names...), "phone": some(k, names...), "mobile": some(k, "1", "2"), "email": some(k, mails...), "rank": some(k, names...),
		}))
	}
	k.dated("/rest/client", "clients", []string{"created_at", "updated_at"}, always)
	k.dated("/rest/deal", "deals", []string{"created_at", "updated_at"}, always)
	k.dated("/rest/offer", "offers", []string{"created_on"}, always)
	k.dated("/rest/contract", "contracts", []string{"created_on"}, always)
}

// bills adds invoices to deals that have a client, and with them their lines.
func (k *stock) bills() {
	deals := slices.DeleteFunc(slices.Clone(k.lists["/rest/deal"].records), func(r stored) bool { return r.shown["client_id"] == nil })
	for range 45 {
		deal := one(k, deals[:8]...)
		var items []fields
		for range k.random.IntN(4) {
			items = append(items, fieldsWith(goods(one(k, names...), one(k, "1", "-1", "2.5", "10"), one(k, "0", "9.99", "10", "100")), fields{"units": some(k, "kg", "KG", "h")}))
		}
		body := fields{
			"number": one(k, names...), "date": one(k, dates...), "performer_id": one(k, k.ids("/rest/performer")[:6]...), "client_id": deal.shown["client_id"],
			"deal_id": deal.shown["id"], "type_id": one(k, k.ids("/rest/invoice-type")[:4]...), "notice": some(k, names...), "status_id": one(k, 1, 2, 3, 4), "items": items,
		}
		record := k.add(one(k, "admin", "manager", "other"), "/rest/invoice", body)
		for _, line := range record.hidden["items"].([]any) {
			k.keep("/rest/invoice-items", line.(map[string]any))
		}
	}
	k.dated("/rest/invoice", "invoices", []string{"created_on", "updated_on"}, always)
	k.dated("/rest/invoice", "invoices", []string{"paid_on"}, func(r stored) bool { return r.shown["paid"].(bool) })
	for _, r := range k.lists["/rest/invoice"].records {
		r.shown["update_on"], r.keys["update_on"] = r.shown["updated_on"], r.keys["updated_on"]
	}
}

// ofClientOrDeal is the filter that a list of contacts must have.
func (k *stock) ofClientOrDeal() filter {
	clients, deals := k.ids("/rest/client")[:4], k.lists["/rest/deal"].records[:9]
	return func(t *rapid.T) (map[string]string, func(stored) bool) {
		deal := rapid.SampledFrom(deals).Draw(t, "deal")
		id, owner := text(deal.shown["id"]), text(deal.shown["client_id"])
		client := rapid.SampledFrom(clients).Draw(t, "client_id")
		if deal.shown["client_id"] != nil && rapid.Bool().Draw(t, "the deal's own") {
			client = owner
		}
		of := func(client string) func(stored) bool {
			return func(r stored) bool { return r.at("client.id") != nil && text(r.at("client.id")) == client }
		}
		switch rapid.IntRange(0, 2).Draw(t, "by") {
		case 0:
			return map[string]string{"client_id": client}, of(client)
		case 1:
			return map[string]string{"deal_id": id}, func(r stored) bool { return text(r.at("deal.id")) == id || of(owner)(r) }
		}
		return map[string]string{"client_id": client, "deal_id": id}, func(r stored) bool { return owner == client && of(client)(r) }
	}
}
