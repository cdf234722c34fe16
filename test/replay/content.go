package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/kontor-crm/kontor/test/rest"
)

const connections = 8

type fields map[string]any

// Send creates the clients and invoices of the sales over several connections, and returns at the first request that
// fails.
func Send(ctx context.Context, s rest.Client, sales *Sales) error {
	var invoiceType, performer int64
	for _, record := range []struct {
		path   string
		fields fields
		id     *int64
	}{
		{"/rest/status", fields{"name": "Open", "default": true, "color": "#1e90ff"}, new(int64)},
		{"/rest/invoice-type", fields{"title": "Sale"}, &invoiceType},
		{"/rest/performer", fields{"name": "Gift-ware by mail", "vat_use": true, "vat_percent": "17.5"}, &performer},
	} {
		id, err := s.Create(ctx, record.path, record.fields)
		if err != nil {
			return err
		}
		*record.id = id
	}
	clients := map[string]int64{}
	var mu sync.Mutex
	var creating errgroup.Group
	creating.SetLimit(connections)
	for _, customer := range sales.Customers {
		creating.Go(func() error {
			id, err := s.Create(ctx, "/rest/client", fields{"name": clientName(customer), "type": 1})
			mu.Lock()
			defer mu.Unlock()
			clients[customer] = id
			return err
		})
	}
	if err := creating.Wait(); err != nil {
		return err
	}
	for _, i := range sales.Invoices {
		creating.Go(func() error {
			items := make([]fields, len(i.Lines))
			for n, l := range i.Lines {
				items[n] = fields{"name": l.Name, "items_count": json.Number(l.Count), "item_price": l.Price}
			}
			_, err := s.Create(ctx, "/rest/invoice", fields{
				"number": i.Number, "date": i.Date, "performer_id": performer, "client_id": clients[i.Customer], "type_id": invoiceType, "items": items,
			})
			if err != nil {
				return fmt.Errorf("invoice %s: %w", i.Number, err)
			}
			return nil
		})
	}
	return creating.Wait()
}

func clientName(customer string) string {
	if customer == "" {
		return "Customers without a number"
	}
	return "Customer " + customer
}

// Totals are the totals of the lists, and the sum of all invoices.
type Totals struct {
	Clients, Invoices, Lines int
	Sum                      string // with four digits
}

// Content is all that is compared.
type Content struct {
	Totals   Totals
	Invoices map[string]string // by number: date, client, lines and totals as text
}

// line is a line as the lists show it.
type line struct {
	Name       string
	Count      json.Number
	Price      string
	TotalPrice string `json:"total_price"`
}

// add adds an invoice with its total as the list shows it or as computed from the file.
func (c *Content) add(number, date, client, total string, count int, lines []line) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %d lines: %s", date, client, count, normal(total))
	for _, l := range lines {
		fmt.Fprintf(&b, "\n  %s: %s x %s = %s", l.Name, normal(l.Count.String()), normal(l.Price), normal(l.TotalPrice))
	}
	if _, known := c.Invoices[number]; known {
		return fmt.Errorf("invoice %s is there twice", number)
	}
	c.Invoices[number] = b.String()
	sum, err := exact(total)
	if err != nil {
		return fmt.Errorf("invoice %s: %w", number, err)
	}
	before, err := exact(c.Totals.Sum)
	c.Totals.Sum = sum.Add(sum, before).FloatString(4)
	return err
}

// normal is a number with six digits; other text stays unchanged.
func normal(text string) string {
	number, err := exact(text)
	if err != nil {
		return text
	}
	return number.FloatString(6)
}

// Content is what the lists have to show.
func (s *Sales) Content() (*Content, error) {
	c := &Content{Totals: Totals{Clients: len(s.Customers), Invoices: len(s.Invoices), Sum: "0"}, Invoices: map[string]string{}}
	for _, i := range s.Invoices {
		sum := new(big.Rat)
		lines := make([]line, len(i.Lines))
		for n, l := range i.Lines {
			total, err := l.total()
			if err != nil {
				return nil, err
			}
			sum.Add(sum, total)
			lines[n] = line{l.Name, json.Number(l.Count), l.Price, total.FloatString(4)}
		}
		if err := c.add(i.Number, i.Date, clientName(i.Customer), sum.FloatString(4), len(lines), lines); err != nil {
			return nil, err
		}
		c.Totals.Lines += len(lines)
	}
	return c, nil
}

// ReadBack reads what the lists show: all invoices, page after page by Link, and the totals of the other lists.
func ReadBack(ctx context.Context, s rest.Client) (*Content, error) {
	c := &Content{Totals: Totals{Sum: "0"}, Invoices: map[string]string{}}
	path := "/rest/invoice?expand=company,items&per_page=200"
	for path != "" {
		var page struct {
			Items []struct {
				Number, Date string
				TotalCount   int    `json:"total_count"`
				TotalPrice   string `json:"total_price"`
				Company      struct{ Name string }
				Items        []line
			}
		}
		header, err := list(ctx, s, path, &page, &c.Totals.Invoices)
		if err != nil {
			return nil, err
		}
		for _, i := range page.Items {
			if err := c.add(i.Number, i.Date, i.Company.Name, i.TotalPrice, i.TotalCount, i.Items); err != nil {
				return nil, err
			}
		}
		path = nextPage(header)
	}
	var unread struct{}
	if _, err := list(ctx, s, "/rest/client?per_page=1", &unread, &c.Totals.Clients); err != nil {
		return nil, err
	}
	_, err := list(ctx, s, "/rest/invoice-items?per_page=1", &unread, &c.Totals.Lines)
	return c, err
}

var nextLink = regexp.MustCompile(`<https?://[^/>]*([^>]*)>; rel="next"`)

// nextPage is the path of the page after the one with these headers; "" if it is the last.
func nextPage(h http.Header) string {
	next := nextLink.FindStringSubmatch(h.Get("Link"))
	if next == nil {
		return ""
	}
	return next[1]
}

// list reads a page of a list and the total of the list.
func list(ctx context.Context, s rest.Client, path string, page any, total *int) (http.Header, error) {
	response, err := s.Call(ctx, http.MethodGet, path, nil, page)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Sscan(response.Header.Get("X_Pagination_Total_Count"), total)
	return response.Header, err
}

// String is a line for people.
func (t Totals) String() string {
	return fmt.Sprintf("%d clients, %d invoices, %d lines, %s in total", t.Clients, t.Invoices, t.Lines, t.Sum)
}
