package chaos

import (
	"context"
	"fmt"
	"net/http"
)

// knot makes records, and says what writers do to them at once.
type knot func(ctx context.Context, m *maker) ([]ask, error)

// ask is one write.
type ask struct {
	method, path string
	record       fields
}

// maker makes records that writers meet at.
type maker struct {
	*writer
	made int
	err  error // of the first record that could not be made
}

// make makes a record and returns its id.
func (m *maker) make(ctx context.Context, path string, record fields) int64 {
	if m.err != nil {
		return 0
	}
	m.made++
	var id int64
	id, m.err = m.create(ctx, path, fmt.Sprintf("%s-%d", m.name, m.made), record)
	return id
}

func (m *maker) client(ctx context.Context) int64 {
	return m.make(ctx, "client", fields{"type": 1, "name": "Client"})
}

func (m *maker) status(ctx context.Context) int64 {
	return m.make(ctx, "status", fields{"name": "Status"})
}

func (m *maker) performer(ctx context.Context) int64 {
	return m.make(ctx, "performer", fields{"name": "Performer"})
}

// deal makes one of the client, or of nobody.
func (m *maker) deal(ctx context.Context, client any) int64 {
	return m.make(ctx, "deal", fields{"name": "Deal", "client_id": client})
}

func (m *maker) bill(client, deal, performer int64) fields {
	return fields{
		"number": "R", "date": "2024-03-09", "client_id": client, "deal_id": deal, "performer_id": performer, "type_id": m.lists.Type,
		"items": []fields{m.line("line")},
	}
}

func at(path string, id int64) string { return fmt.Sprintf("/rest/%s/%d", path, id) }

func patch(path string, id int64, record fields) ask {
	return ask{http.MethodPatch, at(path, id), record}
}

func remove(path string, id int64) ask { return ask{http.MethodDelete, at(path, id), nil} }

func add(path string, record fields) ask { return ask{http.MethodPost, "/rest/" + path, record} }

// knots are of commands that lock several rows. Some are known to wait for each
// other in a circle: what checks a reference waits for whoever changes the row that
// refers, and that one for the row referred to.
var knots = map[string]knot{
	"a deal gets a client and an invoice while its status goes": func(ctx context.Context, m *maker) ([]ask, error) {
		client, status := m.client(ctx), m.status(ctx)
		deal := m.make(ctx, "deal", fields{"name": "Deal", "status_id": status})
		contact := m.make(ctx, "contact", fields{"name": "Contact", "deal_id": deal})
		return []ask{
			add("invoice", m.bill(client, deal, m.lists.Performer)), remove("status", status), patch("contact", contact, fields{"phone": "1"}),
			add("contact", fields{"name": "Another", "deal_id": deal}), patch("deal", deal, fields{"name": "Other"}), remove("client", client),
		}, m.err
	},
	"two deals change their clients, which go": func(ctx context.Context, m *maker) ([]ask, error) {
		a, b := m.client(ctx), m.client(ctx)
		ofA, ofB := m.deal(ctx, a), m.deal(ctx, b)
		return []ask{
			patch("deal", ofA, fields{"client_id": b}), patch("deal", ofB, fields{"client_id": a}), remove("client", a), remove("client", b),
		}, m.err
	},
	"two invoices change their performers, which go": func(ctx context.Context, m *maker) ([]ask, error) {
		client := m.client(ctx)
		deal, p, q := m.deal(ctx, client), m.performer(ctx), m.performer(ctx)
		ofP, ofQ := m.make(ctx, "invoice", m.bill(client, deal, p)), m.make(ctx, "invoice", m.bill(client, deal, q))
		return []ask{
			patch("invoice", ofP, fields{"performer_id": q}), patch("invoice", ofQ, fields{"performer_id": p}), remove("performer", p), remove("performer", q),
		}, m.err
	},
	"two invoices change their deals": func(ctx context.Context, m *maker) ([]ask, error) {
		client, status := m.client(ctx), m.status(ctx)
		d, e := m.deal(ctx, client), m.deal(ctx, client)
		inD, inE := m.make(ctx, "invoice", m.bill(client, d, m.lists.Performer)), m.make(ctx, "invoice", m.bill(client, e, m.lists.Performer))
		line := m.line("more")
		line["invoice_id"] = inE
		return []ask{
			patch("invoice", inD, fields{"deal_id": e}), patch("invoice", inE, fields{"deal_id": d, "paid": true}), remove("invoice", inE),
			patch("deal", d, fields{"status_id": status}), patch("deal", e, fields{"status_id": status}), remove("deal", d),
			patch("invoice", inD, fields{"paid": true}), add("invoice-items", line),
		}, m.err
	},
	"three statuses become the default": func(ctx context.Context, m *maker) ([]ask, error) {
		a, b, c := m.status(ctx), m.status(ctx), m.status(ctx)
		deal := m.make(ctx, "deal", fields{"name": "Deal", "status_id": a})
		return []ask{
			patch("status", a, fields{"default": true}), patch("status", b, fields{"default": true}), patch("status", c, fields{"default": true}),
			remove("status", b), patch("deal", deal, fields{"status_id": b}), add("deal", fields{"name": "Deal"}),
		}, m.err
	},
	"a client goes while its deals come": func(ctx context.Context, m *maker) ([]ask, error) {
		client, other := m.client(ctx), m.client(ctx)
		deal := m.deal(ctx, client)
		contact := m.make(ctx, "contact", fields{"name": "Contact", "client_id": client})
		return []ask{
			remove("client", client), add("deal", fields{"name": "Deal", "client_id": client}), patch("deal", deal, fields{"client_id": other}),
			remove("deal", deal), add("contact", fields{"name": "Another", "deal_id": deal}), remove("contact", contact),
			add("invoice", m.bill(client, deal, m.lists.Performer)),
		}, m.err
	},
	"papers change their deals, which change their clients": func(ctx context.Context, m *maker) ([]ask, error) {
		a, b := m.client(ctx), m.client(ctx)
		d, e := m.deal(ctx, a), m.deal(ctx, b)
		offer := m.make(ctx, "offer", fields{"number": "O", "deal_id": d})
		contract := m.make(ctx, "contract", fields{"number": "C", "deal_id": e})
		return []ask{
			patch("offer", offer, fields{"deal_id": e}), patch("contract", contract, fields{"deal_id": d}), remove("deal", d),
			patch("deal", e, fields{"client_id": a}), patch("deal", d, fields{"client_id": b}), add("offer", fields{"number": "P", "deal_id": e}),
		}, m.err
	},
}
