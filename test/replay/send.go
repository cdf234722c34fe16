package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
)

// Progress is told of each stage and how many pieces it has. It returns what
// is then told, by several goroutines, how many more are done.
type Progress func(stage string, pieces int) (done func(int))

// Send writes all sales to a service that Start has started, from several
// goroutines at once, and returns at the first request that fails.
func Send(ctx context.Context, c *Caller, sales *Sales, connections int, progress Progress) error {
	o, err := furnish(ctx, c)
	if err != nil {
		return err
	}
	if err := o.sendClients(ctx, sales.Customers, connections, progress); err != nil {
		return err
	}
	done := progress("invoices", len(sales.Invoices))
	return Parallel(ctx, connections, sales.Invoices, func(ctx context.Context, i *Invoice) error {
		if _, err := c.create(ctx, "/rest/invoice", o.invoice(i)); err != nil {
			return fmt.Errorf("invoice %s: %w", i.Number, err)
		}
		done(1)
		return nil
	})
}

// office is a service with the records that invoices refer to.
type office struct {
	caller    *Caller
	performer int64
	kind      int64            // the invoice type
	clients   map[string]int64 // by number of the customer
}

// fields is the body of a write.
type fields map[string]any

// furnish creates the reference lists and a performer without VAT.
func furnish(ctx context.Context, c *Caller) (*office, error) {
	o := &office{caller: c, clients: map[string]int64{}}
	for _, f := range []struct {
		path   string
		record fields
		id     *int64
	}{
		{"/rest/status", fields{"name": "Open", "default": true, "color": "#1e90ff"}, new(int64)},
		{"/rest/status", fields{"name": "Done", "color": "#2e8b57"}, new(int64)},
		{"/rest/invoice-type", fields{"title": "Sale"}, &o.kind},
		{"/rest/performer", fields{"name": "Gift-ware by mail", "vat_use": false}, &o.performer},
	} {
		id, err := c.create(ctx, f.path, f.record)
		if err != nil {
			return nil, err
		}
		*f.id = id
	}
	return o, nil
}

func (o *office) sendClients(ctx context.Context, customers []string, connections int, progress Progress) error {
	done := progress("clients", len(customers))
	var mu sync.Mutex
	return Parallel(ctx, connections, customers, func(ctx context.Context, customer string) error {
		id, err := o.caller.create(ctx, "/rest/client", fields{"name": clientName(customer), "type": 1})
		if err != nil {
			return fmt.Errorf("customer %s: %w", customer, err)
		}
		mu.Lock()
		defer mu.Unlock()
		o.clients[customer] = id
		done(1)
		return nil
	})
}

// clientName is the name of the client that stands for the customer.
func clientName(customer string) string {
	if customer == "" {
		return "Customers without a number"
	}
	return "Customer " + customer
}

// invoice is the body that creates the invoice. Numbers go out as the file
// writes them.
func (o *office) invoice(i *Invoice) fields {
	items := make([]fields, len(i.Lines))
	for n, l := range i.Lines {
		items[n] = fields{"name": l.Name, "items_count": json.Number(l.Count), "item_price": l.Price}
	}
	return fields{
		"number": i.Number, "date": i.Date, "performer_id": o.performer,
		"client_id": o.clients[i.Customer], "type_id": o.kind, "items": items,
	}
}

// Parallel calls do for all items by several workers, until one call fails,
// and returns its error.
func Parallel[T any](ctx context.Context, workers int, items []T, do func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan T)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for item := range queue {
				if err := do(ctx, item); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, item := range items {
		if ctx.Err() != nil {
			break
		}
		queue <- item
	}
	close(queue)
	running.Wait()
	return context.Cause(ctx)
}
