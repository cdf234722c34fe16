package api_test

import (
	"net/http"
	"slices"

	"pgregory.net/rapid"
)

// maybe sometimes sets the attribute to one of the values.
func maybe[T any](t *rapid.T, body fields, name string, values ...T) {
	if rapid.IntRange(0, 2).Draw(t, name+"?") == 2 {
		body[name] = rapid.SampledFrom(values).Draw(t, name)
	}
}

// update changes the header, the state, the deal or the lines, or all of them.
func (m *machine) update(t *rapid.T) {
	body := fields{}
	parts := []func(*rapid.T, fields){m.drawHeader, m.drawState, m.drawReferences, m.drawItems}
	if part := rapid.IntRange(0, len(parts)).Draw(t, "part"); part < len(parts) {
		parts = parts[part : part+1]
	}
	for _, draw := range parts {
		draw(t, body)
	}
	next, status := m.model.updated(body, m.references)
	r := m.try(t, command{method: http.MethodPut, path: m.address() + all, body: body, next: next, status: status, tag: m.shown.header.Get("ETag")})
	if r.status != http.StatusOK {
		return
	}
	if r.body != m.shown.body || r.header.Get("ETag") != m.shown.header.Get("ETag") {
		t.Errorf("the update returned %s, the read %s", r.body, m.shown.body)
	}
	if m.references.clients[m.model.deal] == "" {
		m.references.clients[m.model.deal] = m.model.client
	}
	if got := text(m.s.as("viewer").get("/rest/deal/" + m.model.deal).record()["client_id"]); got != m.model.client {
		t.Errorf("the deal belongs to client %s, its invoice to %s", got, m.model.client)
	}
}

func (m *machine) drawHeader(t *rapid.T, body fields) {
	maybe(t, body, "number", "R-1", "R-2", "R-3", "")
	maybe(t, body, "date", "2024-03-09 00:00:00", "2025-01-31 10:00:00", "2025-02-01 00:00:00", "")
	maybe(t, body, "notice", "x", "y", "")
	maybe(t, body, "performer_id", "1", "2", "1", "2", missingID)
	maybe(t, body, "type_id", "1", "2", "1", "2", missingID)
}

func (m *machine) drawState(t *rapid.T, body fields) {
	maybe(t, body, "paid", true, false)
	maybe(t, body, "closed", true, false)
	maybe(t, body, "status_id", 1, 2, 3, 4)
	maybe(t, body, "paid_on", "2001-01-01 00:00:00") // ignored
}

func (m *machine) drawReferences(t *rapid.T, body fields) {
	maybe[any](t, body, "deal_id", m.deals[0], m.deals[1], m.deals[2], missingID, nil)
	// The contract does not define a new client together with a deal without one.
	if deal, ok := body["deal_id"].(string); !ok || m.references.clients[deal] != "" {
		maybe(t, body, "client_id", "1", "2")
	}
	maybe(t, body, "type_id", "1", missingID)
}

// drawItems draws a set of lines: most of the stored ones, some of them changed, and
// new ones; sometimes an invalid one.
func (m *machine) drawItems(t *rapid.T, body fields) {
	items := []fields{}
	for _, r := range m.model.lines {
		if rapid.IntRange(0, 4).Draw(t, "stays?") > 0 {
			items = append(items, fieldsWith(fields{"id": r.id}, drawLine(t)))
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "new lines") {
		items = append(items, fieldsWith(fields{"name": "new"}, drawLine(t)))
	}
	switch rapid.IntRange(0, 9).Draw(t, "odd") {
	case 8:
		items = append(items, fields{"id": missingID})
	case 9:
		if len(items) > 0 {
			items = append(items, items[0])
		}
	}
	body["items"] = append([]fields{}, rapid.Permutation(items).Draw(t, "items")...) // never null
}

// drawLine draws some attributes of a line.
func drawLine(t *rapid.T) fields {
	line := fields{}
	maybe(t, line, "name", "a", "b", "c", "")
	maybe(t, line, "units", "kg", "")
	maybe(t, line, "count", counts...)
	maybe(t, line, "price", prices...)
	return line
}

// sendBack sends the read representation, which changes nothing in any state.
func (m *machine) sendBack(t *rapid.T) {
	whole := m.s.as("viewer").get(m.address() + "?expand=items,deal")
	m.try(t, command{method: http.MethodPut, path: m.address(), body: whole.body, next: m.model, status: http.StatusOK, tag: whole.header.Get("ETag")})
}

func (m *machine) addLine(t *rapid.T) {
	line := drawLine(t)
	line["invoice_id"] = m.id
	added, fine := row{count: "1", price: "0"}.edited(line)
	next, status := m.model.withLines(append(slices.Clone(m.model.lines), added), m.references)
	if !fine {
		status = http.StatusUnprocessableEntity
	}
	m.try(t, command{method: http.MethodPost, path: "/rest/invoice-items", body: line, next: next, status: status})
}

// drawStored draws a stored line, or one that does not exist: then at is -1.
func (m *machine) drawStored(t *rapid.T) (at int, path string) {
	at = rapid.IntRange(-1, len(m.model.lines)-1).Draw(t, "line")
	if at < 0 {
		return at, "/rest/invoice-items/" + missingID
	}
	return at, "/rest/invoice-items/" + m.model.lines[at].id
}

// lineTag returns the entity tag of a line.
func (m *machine) lineTag(at int, path string) string {
	if at < 0 {
		return ""
	}
	return m.s.as("viewer").get(path).wants(http.StatusOK).header.Get("ETag")
}

func (m *machine) changeLine(t *rapid.T) {
	at, path := m.drawStored(t)
	line := drawLine(t)
	a := command{method: http.MethodPut, path: path, body: line, next: m.model, status: http.StatusNotFound, tag: m.lineTag(at, path)}
	if at < 0 {
		m.try(t, a)
		return
	}
	lines := slices.Clone(m.model.lines)
	var fine bool
	if lines[at], fine = lines[at].edited(line); fine {
		a.next, a.status = m.model.withLines(lines, m.references)
	} else {
		a.status = http.StatusUnprocessableEntity
	}
	changes := a.status == http.StatusOK && !a.next.same(m.model)
	r := m.try(t, a)
	if r.status == http.StatusOK && changes == (r.header.Get("ETag") == a.tag) {
		t.Errorf("%s %v: the line's tag was %s and is %s", r.what, line, a.tag, r.header.Get("ETag"))
	}
}

func (m *machine) removeLine(t *rapid.T) {
	at, path := m.drawStored(t)
	a := command{method: http.MethodDelete, path: path, next: m.model, status: http.StatusNotFound, tag: m.lineTag(at, path)}
	if at >= 0 {
		a.next, a.status = m.model.withLines(slices.Delete(slices.Clone(m.model.lines), at, at+1), m.references)
	}
	if r := m.try(t, a); r.status == http.StatusOK {
		m.s.as("viewer").get(path).rejected(http.StatusNotFound)
	}
}

// changeVAT changes the VAT of the performer, which does not change an existing
// invoice.
func (m *machine) changeVAT(t *rapid.T) {
	percent := rapid.SampledFrom([]string{"0", "7.5", "20", "100"}).Draw(t, "percent")
	m.s.as("admin").put("/rest/performer/1", fields{"vat_percent": percent}).wants(http.StatusOK)
	m.references.percents["1"] = percent
	if now := m.s.as("viewer").get(m.address() + all); now.body != m.shown.body || now.header.Get("ETag") != m.shown.header.Get("ETag") {
		t.Errorf("the VAT of the performer has changed the invoice:\n%s\n%s", m.shown.body, now.body)
	}
}

// remove deletes the invoice, unless it is closed, and creates another one.
func (m *machine) remove(t *rapid.T) {
	if rapid.IntRange(0, 2).Draw(t, "really?") < 2 {
		return
	}
	a := command{method: http.MethodDelete, path: m.address(), next: m.model, status: http.StatusOK, tag: m.shown.header.Get("ETag")}
	if m.model.closed() {
		a.status = http.StatusConflict
	}
	lines := m.model.lines
	if r := m.try(t, a); r.status != http.StatusOK {
		return
	}
	for _, line := range lines {
		m.s.as("viewer").get("/rest/invoice-items/" + line.id).rejected(http.StatusNotFound)
	}
	m.create(t)
}
