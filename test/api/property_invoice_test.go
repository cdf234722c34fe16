package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"pgregory.net/rapid"

	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 10.27, 10.29, 10.30, 10.33, 10.35, 10.36, 10.37, 10.53, 10.62, 10.63, 10.65, 10.76, 10.82,
// 10.86
// contract 3.25, 3.29, 4.2, 4.53, 4.54, 4.58
func TestPropertyInvoiceCommandsMatchModel(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	pool := pgtest.Pool(t, s.database)
	// The times of invoices are changed in the database, which the read models do not track. The test reads no list.
	s.execute("update read_model_state set is_ready = false")
	began := time.Now().UTC().Format(time.DateTime)
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{s: s.within(t), t: t, pool: pool, began: began, references: modelReferences{percents: map[string]string{"1": "20", "2": "0"}, clients: map[string]string{}}}
		m.s.as("admin").put("/rest/performer/1", fields{"vat_percent": 20}).wants(http.StatusOK)
		for _, client := range []any{"1", "2", nil} {
			id := m.s.as("manager").post("/rest/deal", fields{"name": "x", "client_id": client}).id()
			m.deals = append(m.deals, id)
			m.references.clients[id], _ = client.(string)
		}
		m.create(t)
		t.Repeat(map[string]func(*rapid.T){
			"update": m.update, "send back": m.sendBack, "add a line": m.addLine, "change a line": m.changeLine,
			"remove a line": m.removeLine, "change the VAT": m.changeVAT, "delete": m.remove,
		})
	})
}

// machine sends commands to an invoice and keeps its expected state.
type machine struct {
	s          *service
	t          *rapid.T
	pool       *pgxpool.Pool
	began      string // the start of the test; invoices are dated before it
	deals      []string
	references modelReferences
	id         string
	model      modelInvoice
	shown      *reply // its last read
}

// all selects what is compared: no attribute of a record that other tests may change.
const all = "?fields=id,user_id,paid,closed,number,date,notice,deal_id,total_count,total_price,vat_price,pay_price,created_on,paid_on," +
	"updated_on,update_on,performer.id,type.id,company.id,status,items"

func (m *machine) address() string { return "/rest/invoice/" + m.id }

func (m *machine) create(t *rapid.T) {
	lines := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) fields {
		return fields{"name": "a", "units": "kg", "count": rapid.SampledFrom(counts[:5]).Draw(t, "count"), "price": rapid.SampledFrom(prices).Draw(t, "price")}
	}), 1, 3).Draw(t, "lines")
	m.model = modelInvoice{number: "R-1", date: "2024-03-09 00:00:00", performer: "1", kind: "1", client: "1", deal: m.deals[0], percent: m.references.percents["1"]}
	m.model.status = rapid.IntRange(1, 4).Draw(t, "status")
	m.model.lines, _ = m.model.replaced(lines)
	r := m.s.as("manager").post("/rest/invoice"+all, bill(fields{"deal_id": m.deals[0], "status_id": m.model.status, "items": lines}))
	m.id = r.id()
	m.shown = m.s.as("viewer").get(m.address() + all)
	if m.shown.body != r.body || m.shown.header.Get("ETag") != r.header.Get("ETag") {
		t.Errorf("the creation returned %s, the read %s", r.body, m.shown.body)
	}
	m.checkShown()
	if record := r.record(); m.model.paid() && record["paid_on"] != record["created_on"] {
		t.Errorf("created as paid, but paid_on is %v", record["paid_on"])
	}
	if _, err := m.pool.Exec(t.Context(), `
update invoices
set created_on = '2024-01-01', updated_on = '2024-01-02', paid_on = case when paid_on is not null then timestamptz '2024-01-03' end
where id = $1::text::bigint`, m.id); err != nil {
		t.Fatal(err)
	}
	m.shown = m.s.as("viewer").get(m.address() + all)
}

var counts, prices = []string{"1", "2", "-1", "0.5", "7", "0"}, []string{"10", "0.0001", "-3.33", "1000"}

// command is a request that changes the invoice.
type command struct {
	method, path string
	body         any
	next         modelInvoice // the invoice after a success
	status       int          // of the response to a manager without If-Match
	tag          string
}

// try sends the command, sometimes without permission or with the entity tag of a
// version, and checks the response and the stored invoice.
func (m *machine) try(t *rapid.T, a command) *reply {
	t.Helper()
	caller, status := m.s.as("manager"), a.status
	switch rapid.SampledFrom([]string{"", "", "", "", "", "current", "stale", "any", "viewer"}).Draw(t, "precondition") {
	case "current":
		if a.tag != "" {
			caller = caller.with("If-Match", a.tag)
		}
	case "any":
		caller = caller.with("If-Match", "*")
	case "stale":
		if a.method != http.MethodPost && status != http.StatusNotFound {
			caller, status = caller.with("If-Match", `"99999-0"`), http.StatusPreconditionFailed
		}
	case "viewer":
		caller, status = m.s.as("viewer"), http.StatusForbidden
	}
	r := caller.send(a.method, a.path, a.body)
	if r.status != status {
		t.Fatalf("%s %v: status %d, want %d: %s\nfor %+v", r.what, a.body, r.status, status, r.body, m.model)
	}
	before := m.shown
	if status == http.StatusOK && a.method == http.MethodDelete && a.path == m.address() {
		m.s.as("viewer").get(m.address()).rejected(http.StatusNotFound)
		return r
	}
	m.shown = m.s.as("viewer").get(m.address() + all)
	if status != http.StatusOK || a.next.same(m.model) {
		if m.shown.body != before.body || m.shown.header.Get("ETag") != before.header.Get("ETag") {
			t.Fatalf("%s %v: status %d, but the invoice changed:\n%s\n%s", r.what, a.body, r.status, before.body, m.shown.body)
		}
		return r
	}
	wasPaid := m.model.paid()
	m.model = a.next
	m.checkShown()
	m.checkTimes(before.record(), m.shown.record(), wasPaid)
	if version(before) == version(m.shown) {
		t.Fatalf("%s %v: the version did not change", r.what, a.body)
	}
	return r
}

func version(r *reply) string {
	number, _, _ := strings.Cut(r.header.Get("ETag"), "-")
	return number
}

// checkTimes checks the times of an invoice that has changed.
func (m *machine) checkTimes(before, after map[string]any, wasPaid bool) {
	want := before["paid_on"]
	switch {
	case !m.model.paid():
		want = nil
	case !wasPaid:
		want = after["updated_on"]
	}
	if after["paid_on"] != want {
		m.t.Errorf("paid on %v, want %v", after["paid_on"], want)
	}
	if after["created_on"] != before["created_on"] || after["user_id"] != before["user_id"] || text(after["updated_on"]) < m.began || after["update_on"] != after["updated_on"] {
		m.t.Errorf("the computed attributes changed from %v to %v", before, after)
	}
}

// checkShown compares the shown invoice with the model, and takes over the ids of new
// lines.
func (m *machine) checkShown() {
	m.t.Helper()
	record := m.shown.record()
	addsUp(m.s.t, record, m.model.percent)
	idOf := func(name string) string { return text(record[name].(map[string]any)["id"]) }
	got := modelInvoice{
		number: text(record["number"]), date: text(record["date"]), performer: idOf("performer"), kind: idOf("type"), client: idOf("company"),
		deal: text(record["deal_id"]), percent: m.model.percent, lines: m.model.lines, status: m.model.status,
	}
	got.notice, _ = record["notice"].(string)
	if !got.same(m.model) || idOf("status") != fmt.Sprint(m.model.status) || record["paid"] != m.model.paid() || record["closed"] != m.model.closed() {
		m.t.Fatalf("shows %s\nwant %+v", m.shown.body, m.model)
	}
	m.checkPayment()
	items := record["items"].([]any)
	if len(items) != len(m.model.lines) {
		m.t.Fatalf("shows %s\nwant %+v", m.shown.body, m.model)
	}
	m.model.lines = slices.Clone(m.model.lines)
	for i := range items {
		line, want := items[i].(map[string]any), &m.model.lines[i]
		if want.id == "" {
			want.id = text(line["id"])
		}
		units, _ := line["units"].(string)
		if text(line["id"]) != want.id || line["name"] != want.name || units != want.units ||
			rat(m.s.t, text(line["count"])).Cmp(rat(m.s.t, want.count)) != 0 || rat(m.s.t, text(line["price"])).Cmp(rat(m.s.t, want.price)) != 0 {
			m.t.Fatalf("line %d is %v, want %+v", i, line, *want)
		}
	}
}

// checkPayment checks that the invoice has an automatic payment if it is paid, of what is owed, and else none.
func (m *machine) checkPayment() {
	m.t.Helper()
	var isSettled, hasPayment bool
	err := m.pool.QueryRow(m.t.Context(), `
select
    paid_price = case when status in (2, 3) then owed_price else 0 end and automatic_price = paid_price,
    (
        select count(*) filter (where i.paid_price <> 0
            and (p.performer_id, p.client_id, p.amount, p.rest, a.invoice_id, a.amount, a.waived, a.date)
                = (i.performer_id, i.client_id, i.paid_price, 0, i.id, i.paid_price, 0, p.date))
        from payments p
        join allocations a on a.payment_id = p.id and a.reversed_at is null
        where i.id in (p.automatic_of, a.invoice_id)
    ) = (i.paid_price <> 0)::integer
from invoices i
where id = $1::text::bigint`, m.id).Scan(&isSettled, &hasPayment)
	if err != nil || !isSettled || !hasPayment {
		m.t.Fatalf("%s: settled as it should be %t, paid so %t, %v", m.shown.body, isSettled, hasPayment, err)
	}
}
