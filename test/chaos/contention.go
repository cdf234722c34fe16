package chaos

import (
	"context"
	"fmt"
	"net/http"
)

// scenario creates records and returns concurrent writes on them.
type scenario func(ctx context.Context, m *creator) ([]write, error)

// write is one request.
type write struct {
	method, path string
	record       fields
}

// recorder creates the records of a scenario.
type creator struct {
	*writer
	created int
	err     error // of the first failed creation
}

// add creates a record and returns its ID.
func (m *creator) add(ctx context.Context, path string, record fields) int64 {
	if m.err != nil {
		return 0
	}
	m.created++
	var id int64
	id, m.err = m.create(ctx, path, fmt.Sprintf("%s-%d", m.name, m.created), record)
	return id
}

func (m *creator) client(ctx context.Context) int64 {
	return m.add(ctx, "client", fields{"type": 1, "name": "Client"})
}

func (m *creator) status(ctx context.Context) int64 {
	return m.add(ctx, "status", fields{"name": "Status"})
}

func (m *creator) performer(ctx context.Context) int64 {
	return m.add(ctx, "performer", fields{"name": "Performer"})
}

// deal creates a deal, whose client may be nil.
func (m *creator) deal(ctx context.Context, client any) int64 {
	return m.add(ctx, "deal", fields{"name": "Deal", "client_id": client})
}

func (m *creator) invoice(client, deal, performer int64) fields {
	return fields{
		"number": "R", "date": "2024-03-09", "client_id": client, "deal_id": deal, "performer_id": performer, "type_id": m.references.Type,
		"items": []fields{m.line("line")},
	}
}

func at(path string, id int64) string { return fmt.Sprintf("/rest/%s/%d", path, id) }

func patch(path string, id int64, record fields) write {
	return write{http.MethodPatch, at(path, id), record}
}

func remove(path string, id int64) write { return write{http.MethodDelete, at(path, id), nil} }

func post(path string, record fields) write { return write{http.MethodPost, "/rest/" + path, record} }

// scenarios are of commands that lock several rows. Some are known to deadlock: the
// check of a reference waits for the writer of the referring row, and that writer
// for the referenced row.
var scenarios = map[string]scenario{
	"a deal gets a client and an invoice while its status is deleted": func(ctx context.Context, m *creator) ([]write, error) {
		client, status := m.client(ctx), m.status(ctx)
		deal := m.add(ctx, "deal", fields{"name": "Deal", "status_id": status})
		contact := m.add(ctx, "contact", fields{"name": "Contact", "deal_id": deal})
		return []write{
			post("invoice", m.invoice(client, deal, m.references.Performer)), remove("status", status), patch("contact", contact, fields{"phone": "1"}),
			post("contact", fields{"name": "Another", "deal_id": deal}), patch("deal", deal, fields{"name": "Other"}), remove("client", client),
		}, m.err
	},
	"two deals change their clients, which are deleted": func(ctx context.Context, m *creator) ([]write, error) {
		a, b := m.client(ctx), m.client(ctx)
		ofA, ofB := m.deal(ctx, a), m.deal(ctx, b)
		return []write{
			patch("deal", ofA, fields{"client_id": b}), patch("deal", ofB, fields{"client_id": a}), remove("client", a), remove("client", b),
		}, m.err
	},
	"two invoices change their performers, which are deleted": func(ctx context.Context, m *creator) ([]write, error) {
		client := m.client(ctx)
		deal, p, q := m.deal(ctx, client), m.performer(ctx), m.performer(ctx)
		ofP, ofQ := m.add(ctx, "invoice", m.invoice(client, deal, p)), m.add(ctx, "invoice", m.invoice(client, deal, q))
		return []write{
			patch("invoice", ofP, fields{"performer_id": q}), patch("invoice", ofQ, fields{"performer_id": p}), remove("performer", p), remove("performer", q),
		}, m.err
	},
	"two invoices change their deals": func(ctx context.Context, m *creator) ([]write, error) {
		client, status := m.client(ctx), m.status(ctx)
		d, e := m.deal(ctx, client), m.deal(ctx, client)
		inD, inE := m.add(ctx, "invoice", m.invoice(client, d, m.references.Performer)), m.add(ctx, "invoice", m.invoice(client, e, m.references.Performer))
		line := m.line("more")
		line["invoice_id"] = inE
		return []write{
			patch("invoice", inD, fields{"deal_id": e}), patch("invoice", inE, fields{"deal_id": d, "paid": true}), remove("invoice", inE),
			patch("deal", d, fields{"status_id": status}), patch("deal", e, fields{"status_id": status}), remove("deal", d),
			patch("invoice", inD, fields{"paid": true}), post("invoice-items", line),
		}, m.err
	},
	"three statuses become the default": func(ctx context.Context, m *creator) ([]write, error) {
		a, b, c := m.status(ctx), m.status(ctx), m.status(ctx)
		deal := m.add(ctx, "deal", fields{"name": "Deal", "status_id": a})
		return []write{
			patch("status", a, fields{"default": true}), patch("status", b, fields{"default": true}), patch("status", c, fields{"default": true}),
			remove("status", b), patch("deal", deal, fields{"status_id": b}), post("deal", fields{"name": "Deal"}),
		}, m.err
	},
	"a client is deleted while deals are added to it": func(ctx context.Context, m *creator) ([]write, error) {
		client, other := m.client(ctx), m.client(ctx)
		deal := m.deal(ctx, client)
		contact := m.add(ctx, "contact", fields{"name": "Contact", "client_id": client})
		return []write{
			remove("client", client), post("deal", fields{"name": "Deal", "client_id": client}), patch("deal", deal, fields{"client_id": other}),
			remove("deal", deal), post("contact", fields{"name": "Another", "deal_id": deal}), remove("contact", contact),
			post("invoice", m.invoice(client, deal, m.references.Performer)),
		}, m.err
	},
	"documents change their deals, which change their clients": func(ctx context.Context, m *creator) ([]write, error) {
		a, b := m.client(ctx), m.client(ctx)
		d, e := m.deal(ctx, a), m.deal(ctx, b)
		offer := m.add(ctx, "offer", fields{"number": "O", "deal_id": d})
		contract := m.add(ctx, "contract", fields{"number": "C", "deal_id": e})
		return []write{
			patch("offer", offer, fields{"deal_id": e}), patch("contract", contract, fields{"deal_id": d}), remove("deal", d),
			patch("deal", e, fields{"client_id": a}), patch("deal", d, fields{"client_id": b}), post("offer", fields{"number": "P", "deal_id": e}),
		}, m.err
	},
}
