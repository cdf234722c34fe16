package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// writer is one program that writes, and repeats what was not answered.
type writer struct {
	site   *Site
	book   *Book
	name   string
	chance *rand.Rand
	http   *http.Client
	keys   bool // it sends an Idempotency-Key with what it creates

	written int
	lists   lists
}

// lists are the records that every invoice refers to.
type lists struct{ Performer, Type int64 }

type fields = map[string]any

// errRefused says that the service would not carry out a write, ever.
var errRefused = errors.New("refused")

func newWriter(s *Site, b *Book, name string, l lists, seed uint64) *writer {
	return &writer{
		site: s, book: b, name: name, lists: l, keys: true, chance: rand.New(rand.NewPCG(seed, 7)),
		http: &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{}},
	}
}

// furnish makes what invoices refer to.
func furnish(ctx context.Context, s *Site) (l lists, err error) {
	w := newWriter(s, newBook(), "furnish", l, 1)
	for _, r := range []struct {
		path   string
		record fields
		id     *int64
	}{
		{"status", fields{"name": "New", "color": "#1e90ff", "default": true}, new(int64)},
		{"invoice-type", fields{"name": "Invoice"}, &l.Type},
		{"performer", fields{"name": "Workshop", "vat_use": true, "vat_percent": "20"}, &l.Performer},
	} {
		if *r.id, err = w.create(ctx, r.path, "furnish-"+r.path, r.record); err != nil {
			return l, err
		}
	}
	return l, nil
}

// run writes until the context ends. What it is at then, it brings to its end.
func (w *writer) run(ctx context.Context) error {
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		if err := w.step(patient); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return nil
}

// step is a client with an invoice that gets another line and is paid, or one
// that goes again.
func (w *writer) step(ctx context.Context) error {
	w.written++
	name := w.name + "-" + strconv.Itoa(w.written)
	w.book.client(name, open)
	client, err := w.create(ctx, "client", name, fields{"type": 1, "name": name})
	if err != nil {
		return err
	}
	w.book.client(name, created)
	if w.chance.IntN(4) == 0 {
		w.book.client(name, leaving)
		if err := w.remove(ctx, "/rest/client/"+strconv.FormatInt(client, 10)); err != nil {
			return err
		}
		w.book.client(name, removed)
		return nil
	}
	return w.bill(ctx, name, client)
}

// bill writes an invoice of three lines, adds a fourth and has it paid.
func (w *writer) bill(ctx context.Context, number string, client int64) error {
	record := fields{
		"number": number, "date": "2024-03-09", "client_id": client, "performer_id": w.lists.Performer, "type_id": w.lists.Type,
		"items": []fields{w.line(number + " a"), w.line(number + " b"), w.line(number + " c")},
	}
	w.book.invoice(number, func(*sheet) {})
	invoice, err := w.create(ctx, "invoice", number+" invoice", record)
	if err != nil {
		return err
	}
	w.book.invoice(number, func(s *sheet) {
		s.created = true
		s.lines[number+" a"], s.lines[number+" b"], s.lines[number+" c"] = true, true, true
	})
	w.book.invoice(number, func(s *sheet) { s.lines[number+" d"] = false })
	line := w.line(number + " d")
	line["invoice_id"] = invoice
	if _, err := w.create(ctx, "invoice-items", number+" d", line); err != nil {
		return err
	}
	w.book.invoice(number, func(s *sheet) { s.lines[number+" d"] = true })
	if err := w.repeat(ctx, http.MethodPut, "/rest/invoice/"+strconv.FormatInt(invoice, 10), "", fields{"paid": true}, nil); err != nil {
		return err
	}
	w.book.invoice(number, func(s *sheet) { s.paid = true })
	return nil
}

func (w *writer) line(name string) fields {
	return fields{"name": name, "count": w.chance.IntN(9) + 1, "price": fmt.Sprintf("%d.%04d", w.chance.IntN(1000), w.chance.IntN(10_000))}
}

// create creates a record under a key of its own.
func (w *writer) create(ctx context.Context, path, key string, record fields) (int64, error) {
	var answer struct{ Response struct{ ID int64 } }
	if !w.keys {
		key = ""
	}
	err := w.repeat(ctx, http.MethodPost, "/rest/"+path, key, record, &answer)
	return answer.Response.ID, err
}

// remove deletes a record; that it is gone already may be what a lost answer
// said.
func (w *writer) remove(ctx context.Context, path string) error {
	return w.repeat(ctx, http.MethodDelete, path, "", nil, nil)
}

// repeat sends a request until it is answered with success.
func (w *writer) repeat(ctx context.Context, method, path, key string, record fields, answer any) error {
	w.book.Tried.Add(1)
	for again := false; ; again = true {
		status, said, err := w.send(ctx, method, path, key, record)
		switch {
		case err == nil && (status == http.StatusOK || method == http.MethodDelete && again && status == http.StatusNotFound):
			w.book.Acknowledged.Add(1)
			if answer == nil {
				return nil
			}
			return json.Unmarshal(said, answer)
		case err == nil && status < 500 && status != http.StatusTooManyRequests:
			return fmt.Errorf("%w: %s %s: %d: %s", errRefused, method, path, status, said)
		}
		w.book.again(status)
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s %s is not answered: %d: %w", method, path, status, errors.Join(context.Cause(ctx), err))
		case <-time.After(time.Duration(5+w.chance.IntN(20)) * time.Millisecond):
		}
	}
}

func (w *writer) send(ctx context.Context, method, path, key string, record fields) (status int, said []byte, err error) {
	body, err := json.Marshal(record)
	if err != nil {
		return 0, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://"+w.site.Address+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+w.site.Token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", strings.ReplaceAll(key, " ", "-"))
	}
	// The service must see each attempt once: without a body that can be read
	// again, the transport repeats nothing by itself.
	r.GetBody = nil
	answer, err := w.http.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	said, err = io.ReadAll(answer.Body)
	return answer.StatusCode, said, err
}
