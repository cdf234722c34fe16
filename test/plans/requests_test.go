package plans_test

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// shelf is all lists, read over one database.
type shelf map[string]func(ctx context.Context, query url.Values) (size int, err error)

func newShelf(db pgread.Querier) shelf {
	return shelf{
		"client": listed(readmodel.Clients, pgread.NewClients(db), func(q url.Values) readmodel.ClientFilter {
			return readmodel.ClientFilter{
				UserID: id[user.ID](q, "user_id"), Type: id[client.Type](q, "type"), Name: q.Get("name"), Search: q.Get("search"), Email: q.Get("email"),
			}
		}),
		"deal": listed(readmodel.Deals, pgread.NewDeals(db), func(q url.Values) readmodel.DealFilter {
			return readmodel.DealFilter{
				ClientID: id[client.ID](q, "client_id"), UserID: id[user.ID](q, "user_id"), StatusID: id[catalog.StatusID](q, "status_id"),
				TypeID: id[catalog.DealTypeID](q, "type_id"), Name: q.Get("name"),
			}
		}),
		"offer":    listed(readmodel.Offers, pgread.NewOffers(db), papers),
		"contract": listed(readmodel.Contracts, pgread.NewContracts(db), papers),
		"contact": listed(readmodel.Contacts, pgread.NewContacts(db), func(q url.Values) readmodel.ContactFilter {
			return readmodel.ContactFilter{ClientID: id[client.ID](q, "client_id"), DealID: id[deal.ID](q, "deal_id")}
		}),
		"invoice": listed(readmodel.Invoices, pgread.NewInvoices(db), func(q url.Values) readmodel.InvoiceFilter {
			return readmodel.InvoiceFilter{
				Number: q.Get("number"), Company: q.Get("company"), ClientID: id[client.ID](q, "client_id"), DealID: id[deal.ID](q, "deal_id"),
				UserID: id[user.ID](q, "user_id"), TypeID: id[catalog.InvoiceTypeID](q, "type_id"), Status: id[invoice.Status](q, "status"),
				Year: id[int](q, "year"), Month: id[int](q, "month"), PaidYear: id[int](q, "paid_year"), PaidMonth: id[int](q, "paid_month"),
			}
		}),
		"invoice-items": listed(readmodel.InvoiceItems, pgread.NewInvoiceItems(db), func(q url.Values) readmodel.InvoiceItemFilter {
			return readmodel.InvoiceItemFilter{InvoiceID: id[invoice.ID](q, "invoice_id"), Name: q.Get("name")}
		}),
	}
}

func papers(q url.Values) readmodel.DocumentFilter {
	return readmodel.DocumentFilter{DealID: id[deal.ID](q, "deal_id"), ClientID: id[client.ID](q, "client_id"), Number: q.Get("number")}
}

func id[T ~int64 | ~int | ~uint8](q url.Values, name string) optional.Of[T] {
	n, err := strconv.Atoi(q.Get(name))
	if err != nil {
		return optional.Of[T]{}
	}
	return optional.Some(T(n))
}

// listed reads the page of a list that a query asks for; size is how many rows
// it has.
func listed[F any](table *readmodel.Resource, reader readmodel.Reader[F], filter func(url.Values) F) func(context.Context, url.Values) (int, error) {
	return func(ctx context.Context, query url.Values) (int, error) {
		q, err := asked(table, query, filter(query))
		if err != nil {
			return 0, err
		}
		page := query.Get("page")
		first, err := reader.List(ctx, q)
		if err != nil {
			return 0, fmt.Errorf("the first page: %w", err)
		}
		if first.Len() == 0 {
			return 0, fmt.Errorf("there is nothing in the list")
		}
		switch page {
		case "last":
			q.Page.Number = q.Page.Count(first.Total)
		case "middle":
			q.Page.Number = max(2, q.Page.Count(first.Total)/2)
		case "next", "previous":
			if q.Page.Cursor = first.Next; page == "previous" {
				second, err := reader.List(ctx, q)
				if err != nil {
					return 0, err
				}
				q.Page.Cursor = second.Prev
			}
		default:
			if n, err := strconv.ParseInt(page, 10, 64); err == nil {
				q.Page.Number = n
			}
		}
		rows, err := reader.List(context.WithValue(ctx, noted{}, true), q)
		if err != nil {
			return 0, err
		}
		return q.Page.Size, checkPage(q.Page, rows, first.Total)
	}
}

// checkPage makes sure that the page is what it claims to be: a plan that finds
// nothing shows nothing.
func checkPage(page readmodel.Page, rows *readmodel.Rows, total int64) error {
	want := total
	if page.Size > 0 {
		want = min(int64(page.Size), total-(page.Number-1)*int64(page.Size))
	}
	if page.Cursor != "" {
		want = min(want, total-int64(page.Size))
	}
	if int64(rows.Len()) < want && page.Cursor == "" || rows.Total != total {
		return fmt.Errorf("%d rows of %d, want %d of %d", rows.Len(), rows.Total, want, total)
	}
	return nil
}

func asked[F any](table *readmodel.Resource, query url.Values, filter F) (q readmodel.Query[F], err error) {
	ask := readmodel.Asking{}
	if query.Has("expand") {
		ask.Expand = optional.Some(query.Get("expand"))
	}
	for _, a := range table.Attributes {
		if a.Asked && query.Has(a.Name) {
			ask.Counts = append(ask.Counts, a.Name)
		}
	}
	q.Filter = filter
	if q.Select, err = table.Select(ask); err != nil {
		return q, err
	}
	if q.Sort, err = table.SortBy(query.Get("sort")); err != nil {
		return q, err
	}
	q.Page = readmodel.Page{Number: 1, Size: table.PerPage}
	if n, err := strconv.Atoi(query.Get("per_page")); err == nil {
		q.Page.Size = n
	}
	if table.PagedIfAsked {
		q.Page = readmodel.Page{}
	}
	return q, nil
}

// request takes a request of the table apart.
func request(t *testing.T, text string) (list string, query url.Values) {
	t.Helper()
	list, raw, _ := strings.Cut(text, "?")
	query, err := url.ParseQuery(raw)
	if err != nil {
		t.Fatal(err)
	}
	return list, query
}
