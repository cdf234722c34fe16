package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/test/rest"
)

// writer writes, and repeats writes without a response.
type writer struct {
	site   *Site
	log    *WriteLog
	name   string
	random *rand.Rand
	http   *http.Client
	keys   bool // send an Idempotency-Key with a creation
	others int  // the number of writers: together they send a repetition every millisecond or two
	step   func(context.Context) error

	written    int
	client     int64 // of all invoices that it issues
	references references
}

// references are the records that every invoice refers to.
type references struct{ Performer, Type int64 }

type fields = map[string]any

// errRejected means that the service rejected a write permanently.
var errRejected = errors.New("rejected")

func newWriter(s *Site, b *WriteLog, name string, l references, seed uint64) *writer {
	w := &writer{
		site: s, log: b, name: name, references: l, keys: true, random: rand.New(rand.NewPCG(seed, 7)),
		http: &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{}},
	}
	w.step = w.write
	return w
}

// createReferences creates the records that invoices refer to.
func createReferences(ctx context.Context, s *Site) (l references, err error) {
	w := newWriter(s, newWriteLog(), "reference", l, 1)
	for _, r := range []struct {
		path   string
		record fields
		id     *int64
	}{
		{"status", fields{"name": "New", "color": "#1e90ff", "default": true}, new(int64)},
		{"invoice-type", fields{"name": "Invoice"}, &l.Type},
		{"performer", fields{"name": "Workshop", "vat_use": true, "vat_percent": "20"}, &l.Performer},
	} {
		if *r.id, err = w.create(ctx, r.path, "reference-"+r.path, r.record); err != nil {
			return l, err
		}
	}
	return l, nil
}

// run writes until the context ends, and completes the last step.
func (w *writer) run(ctx context.Context) error {
	whole, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		if err := w.step(whole); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return nil
}

// write creates a client and either deletes it or gives it an invoice that gains a
// line and is paid.
func (w *writer) write(ctx context.Context) error {
	w.written++
	name := w.name + "-" + strconv.Itoa(w.written)
	w.log.client(name, pending)
	client, err := w.create(ctx, "client", name, fields{"type": 1, "name": name})
	if err != nil {
		return err
	}
	w.log.client(name, created)
	if w.random.IntN(4) == 0 {
		w.log.client(name, deleting)
		if err := w.remove(ctx, "/rest/client/"+strconv.FormatInt(client, 10)); err != nil {
			return err
		}
		w.log.client(name, deleted)
		return nil
	}
	return w.bill(ctx, name, client)
}

// bill creates an invoice of three lines, adds a fourth and pays it.
func (w *writer) bill(ctx context.Context, number string, client int64) error {
	record := fields{
		"number": number, "date": "2024-03-09", "client_id": client, "performer_id": w.references.Performer, "type_id": w.references.Type,
		"items": []fields{w.line(number + " a"), w.line(number + " b"), w.line(number + " c")},
	}
	w.log.invoice(number, func(*invoiceState) {})
	invoice, err := w.create(ctx, "invoice", number+" invoice", record)
	if err != nil {
		return err
	}
	w.log.invoice(number, func(s *invoiceState) {
		s.created = true
		s.lines[number+" a"], s.lines[number+" b"], s.lines[number+" c"] = true, true, true
	})
	w.log.invoice(number, func(s *invoiceState) { s.lines[number+" d"] = false })
	line := w.line(number + " d")
	line["invoice_id"] = invoice
	if _, err := w.create(ctx, "invoice-items", number+" d", line); err != nil {
		return err
	}
	w.log.invoice(number, func(s *invoiceState) { s.lines[number+" d"] = true })
	if err := w.repeat(ctx, http.MethodPut, "/rest/invoice/"+strconv.FormatInt(invoice, 10), "", fields{"paid": true}, nil); err != nil {
		return err
	}
	w.log.invoice(number, func(s *invoiceState) { s.paid = true })
	return nil
}

func (w *writer) line(name string) fields {
	return fields{"name": name, "count": w.random.IntN(9) + 1, "price": fmt.Sprintf("%d.%04d", w.random.IntN(1000), w.random.IntN(10_000))}
}

// create creates a record under a key of its own.
func (w *writer) create(ctx context.Context, path, key string, record fields) (int64, error) {
	var created struct{ Response struct{ ID int64 } }
	if !w.keys {
		key = ""
	}
	err := w.repeat(ctx, http.MethodPost, "/rest/"+path, key, record, &created)
	return created.Response.ID, err
}

// remove deletes a record. A 404 to a repetition is a success: the first response
// may be lost.
func (w *writer) remove(ctx context.Context, path string) error {
	return w.repeat(ctx, http.MethodDelete, path, "", nil, nil)
}

// repeat sends a request until its response is a success.
func (w *writer) repeat(ctx context.Context, method, path, key string, record fields, result any) error {
	w.log.Tried.Add(1)
	for repeated := false; ; repeated = true {
		got, err := w.send(ctx, method, path, key, record)
		switch {
		case err == nil && (got.Status == http.StatusOK || method == http.MethodDelete && repeated && got.Status == http.StatusNotFound):
			w.log.Acknowledged.Add(1)
			if result == nil {
				return nil
			}
			return json.Unmarshal(got.Body, result)
		case err == nil && got.Status < 500 && got.Status != http.StatusTooManyRequests:
			return fmt.Errorf("%w: %s %s: %d: %s", errRejected, method, path, got.Status, got.Body)
		}
		w.log.Unknown.Add(1)
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s %s has no response: %d: %w", method, path, got.Status, errors.Join(context.Cause(ctx), err))
		case <-time.After(time.Duration((w.others+1)*(1+w.random.IntN(2))) * time.Millisecond):
		}
	}
}

func (w *writer) send(ctx context.Context, method, path, key string, record fields) (rest.Response, error) {
	var headers []string
	if key != "" {
		headers = []string{"Idempotency-Key", strings.ReplaceAll(key, " ", "-")}
	}
	return w.site.client(w.http).Send(ctx, method, path, record, headers...)
}
