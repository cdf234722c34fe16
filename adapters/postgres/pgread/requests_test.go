package pgread_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/payment"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// aList is a list that tests ask for as its URL does.
type aList interface {
	// read reads the page, and returns its size. The context of the statements of that
	// page has marked.
	read(ctx context.Context, query url.Values) (size int, err error)
	// The statements that the reader has for the query.
	describePage(query url.Values, beside string) (pgread.Described, error)
	describeRecord(query url.Values) (pgread.Described, error)
	// noteFilters adds the fields of the filter, with whether the query sets them. Those that an
	// earlier query has set stay true.
	noteFilters(query url.Values, set map[string]bool)
}

// marked marks the context of the page that is read.
type marked struct{}

// list is the list of one resource.
type list[F any] struct {
	resource *readmodel.Resource
	reader   readmodel.Reader[F]
	filter   func(url.Values) F
}

// listsOf are the lists by their names in URLs.
func listsOf(db pgread.Querier) map[string]aList {
	since := func(q url.Values) readmodel.Instant { return readmodel.Instant(q.Get("updated_since")) }
	date := func(q url.Values, name string) readmodel.Date { return readmodel.Date(q.Get(name)) }
	documents := func(q url.Values) readmodel.AgreementFilter {
		return readmodel.AgreementFilter{
			DealID: id[deal.ID](q, "deal_id"), ClientIDs: ids[client.ID](q, "client_id"), Number: q.Get("number"), UpdatedSince: since(q),
			IDs: ids[int64](q, "id"),
		}
	}
	unfiltered := func(url.Values) (none readmodel.NoFilter) { return none }
	return map[string]aList{
		"client": list[readmodel.ClientFilter]{readmodel.Clients, pgread.NewClients(db), func(q url.Values) readmodel.ClientFilter {
			return readmodel.ClientFilter{
				UserIDs: ids[user.ID](q, "user_id"), Type: id[client.Type](q, "type"), Name: q.Get("name"), Search: q.Get("search"), Email: q.Get("email"),
				UpdatedSince: since(q), Ref: q.Get("ref"), IDs: ids[client.ID](q, "id"),
			}
		}},
		"deal": list[readmodel.DealFilter]{readmodel.Deals, pgread.NewDeals(db), func(q url.Values) readmodel.DealFilter {
			return readmodel.DealFilter{
				ClientIDs: ids[client.ID](q, "client_id"), UserIDs: ids[user.ID](q, "user_id"), StatusIDs: ids[catalog.StatusID](q, "status_id"),
				TypeIDs: ids[catalog.DealTypeID](q, "type_id"), Name: q.Get("name"), UpdatedSince: since(q), Ref: q.Get("ref"), IDs: ids[deal.ID](q, "id"),
			}
		}},
		"offer":    list[readmodel.AgreementFilter]{readmodel.Offers, pgread.NewOffers(db), documents},
		"contract": list[readmodel.AgreementFilter]{readmodel.Contracts, pgread.NewContracts(db), documents},
		"contact": list[readmodel.ContactFilter]{readmodel.Contacts, pgread.NewContacts(db), func(q url.Values) readmodel.ContactFilter {
			return readmodel.ContactFilter{
				ClientIDs: ids[client.ID](q, "client_id"), DealID: id[deal.ID](q, "deal_id"), UpdatedSince: since(q), Ref: q.Get("ref"), IDs: ids[contact.ID](q, "id"),
			}
		}},
		"invoice": list[readmodel.InvoiceFilter]{readmodel.Invoices, pgread.NewInvoices(db), func(q url.Values) readmodel.InvoiceFilter {
			return readmodel.InvoiceFilter{
				Number: q.Get("number"), Company: q.Get("company"), ClientIDs: ids[client.ID](q, "client_id"), DealID: id[deal.ID](q, "deal_id"),
				UserIDs: ids[user.ID](q, "user_id"), TypeIDs: ids[catalog.InvoiceTypeID](q, "type_id"), Statuses: ids[invoice.Status](q, "status"),
				Year: id[int](q, "year"), Month: id[int](q, "month"), PaidYear: id[int](q, "paid_year"), PaidMonth: id[int](q, "paid_month"),
				UpdatedSince: since(q), Ref: q.Get("ref"), IDs: ids[invoice.ID](q, "id"),
				DateFrom: date(q, "date_from"), DateTo: date(q, "date_to"), PaidFrom: date(q, "paid_from"), PaidTo: date(q, "paid_to"),
				DueFrom: date(q, "due_from"), DueBefore: date(q, "due_before"), Overdue: q.Get("overdue") == "1", Due: q.Get("due") == "1", Credits: ids[invoice.ID](q, "credits"),
			}
		}},
		"payment": list[readmodel.PaymentFilter]{readmodel.Payments, pgread.NewPayments(db), func(q url.Values) readmodel.PaymentFilter {
			return readmodel.PaymentFilter{
				ClientIDs: ids[client.ID](q, "client_id"), InvoiceIDs: ids[invoice.ID](q, "invoice_id"), PerformerIDs: ids[performer.ID](q, "performer_id"),
				IDs: ids[payment.ID](q, "id"), DateFrom: date(q, "date_from"), DateTo: date(q, "date_to"), UpdatedSince: since(q), Ref: q.Get("ref"),
				Method: q.Get("method"), Reference: q.Get("reference"), Left: q.Get("left") == "1",
			}
		}},
		"invoice-items": list[readmodel.InvoiceItemFilter]{readmodel.InvoiceItems, pgread.NewInvoiceItems(db), func(q url.Values) readmodel.InvoiceItemFilter {
			return readmodel.InvoiceItemFilter{InvoiceID: id[invoice.ID](q, "invoice_id"), Name: q.Get("name")}
		}},
		"deal-history": list[readmodel.DealHistoryFilter]{readmodel.DealHistory, pgread.NewDealHistory(db), func(url.Values) readmodel.DealHistoryFilter {
			return readmodel.DealHistoryFilter{DealID: 7}
		}},
		"rule": list[readmodel.RuleFilter]{readmodel.Rules, pgread.NewRules(db), func(q url.Values) (f readmodel.RuleFilter) {
			f.Name, f.Resource = q.Get("name"), q.Get("resource")
			if mode, ok := ruledef.ParseMode(q.Get("mode")); ok {
				f.Mode = domain.Some(mode)
			}
			if source, ok := ruledef.ParseSource(q.Get("source")); ok {
				f.Source = domain.Some(source)
			}
			return f
		}},
		"rule-violations": list[readmodel.RuleViolationFilter]{readmodel.RuleViolations, pgread.NewRuleViolations(db), func(url.Values) readmodel.RuleViolationFilter {
			return readmodel.RuleViolationFilter{RuleID: 7}
		}},
		"changes": list[readmodel.ChangeFilter]{readmodel.Changes, pgread.NewChanges(db), func(url.Values) readmodel.ChangeFilter {
			return readmodel.ChangeFilter{Resource: "deal", RecordID: 7}
		}},
		"token": list[readmodel.TokenFilter]{readmodel.Tokens, pgread.NewTokens(db), func(q url.Values) readmodel.TokenFilter {
			return readmodel.TokenFilter{Username: q.Get("username")}
		}},
		"account": list[readmodel.NoFilter]{readmodel.Accounts, pgread.NewAccounts(db), unfiltered},
		"user":    list[readmodel.NoFilter]{readmodel.Users, pgread.NewUsers(db), unfiltered},
		"performer": list[readmodel.PerformerFilter]{readmodel.Performers, pgread.NewPerformers(db), func(q url.Values) readmodel.PerformerFilter {
			return readmodel.PerformerFilter{Ref: q.Get("ref")}
		}},
		"status":       list[readmodel.NoFilter]{readmodel.Statuses, pgread.NewStatuses(db), unfiltered},
		"deal-type":    list[readmodel.NoFilter]{readmodel.DealTypes, pgread.NewDealTypes(db), unfiltered},
		"invoice-type": list[readmodel.NoFilter]{readmodel.InvoiceTypes, pgread.NewInvoiceTypes(db), unfiltered},
	}
}

func (l list[F]) describePage(query url.Values, beside string) (d pgread.Described, err error) {
	q, err := l.query(query)
	if err != nil {
		return d, err
	}
	return pgread.DescribePage(l.reader, q, beside)
}

func (l list[F]) describeRecord(query url.Values) (d pgread.Described, err error) {
	q, err := l.query(query)
	if err != nil {
		return d, err
	}
	return pgread.DescribeRecord(l.reader, q.Select)
}

func (l list[F]) noteFilters(query url.Values, set map[string]bool) {
	filter := reflect.ValueOf(l.filter(query))
	for i := range filter.NumField() {
		field := filter.Type().Name() + "." + filter.Type().Field(i).Name
		set[field] = set[field] || !filter.Field(i).IsZero()
	}
}

func id[T ~int64 | ~int | ~uint8](q url.Values, name string) domain.Optional[T] {
	n, err := strconv.Atoi(q.Get(name))
	if err != nil {
		return domain.Optional[T]{}
	}
	return domain.Some(T(n))
}

func ids[T ~int64 | ~uint8](q url.Values, name string) (values []T) {
	for text := range strings.SplitSeq(q.Get(name), ",") {
		if n, err := strconv.Atoi(text); err == nil {
			values = append(values, T(n))
		}
	}
	return values
}

func (l list[F]) read(ctx context.Context, query url.Values) (size int, err error) {
	q, err := l.query(query)
	if err != nil {
		return 0, err
	}
	q.Page.Number = 1
	first, err := l.reader.List(ctx, q)
	if err != nil {
		return 0, fmt.Errorf("the first page: %w", err)
	}
	if first.Len() == 0 {
		return 0, errors.New("the list is empty")
	}
	switch page := query.Get("page"); page {
	case "last":
		q.Page.Number = q.Page.Count(first.Total)
	case "middle":
		q.Page.Number = max(2, q.Page.Count(first.Total)/2)
	case "next", "previous":
		if q.Page.Cursor = first.Next; page == "previous" {
			second, err := l.reader.List(ctx, q)
			if err != nil {
				return 0, err
			}
			q.Page.Cursor = second.Prev
		}
	default:
		q.Page.Number = pageNumber(query)
	}
	rows, err := l.reader.List(context.WithValue(ctx, marked{}, true), q)
	if err != nil {
		return 0, err
	}
	return q.Page.Size, checkPage(q.Page, rows, first.Total)
}

// checkPage checks the number of rows and the total: a plan that finds nothing proves
// nothing.
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

// query is the query for the parameters.
func (l list[F]) query(values url.Values) (q readmodel.Query[F], err error) {
	ask := query.Parameters{}
	if values.Has("fields") {
		ask.Fields = domain.Some(values.Get("fields"))
	}
	if values.Has("expand") {
		ask.Expand = domain.Some(values.Get("expand"))
	}
	for _, a := range l.resource.Attributes {
		if a.OnRequest && values.Has(a.Name) {
			ask.Counts = append(ask.Counts, a.Name)
		}
	}
	q.Filter = l.filter(values)
	if q.Select, err = query.Select(l.resource, ask); err != nil {
		return q, err
	}
	if q.Sort, err = query.SortBy(l.resource, values.Get("sort")); err != nil {
		return q, err
	}
	if !l.resource.PagedOnRequest {
		q.Page = readmodel.Page{Number: pageNumber(values), Size: l.resource.PerPage}
	}
	if n, err := strconv.Atoi(values.Get("per_page")); err == nil {
		q.Page.Size = n
	}
	return q, nil
}

func pageNumber(query url.Values) int64 {
	if n, err := strconv.ParseInt(query.Get("page"), 10, 64); err == nil {
		return n
	}
	return 1
}

// parseRequest splits a request into the list and its parameters.
func parseRequest(t *testing.T, text string) (list string, query url.Values) {
	t.Helper()
	list, raw, _ := strings.Cut(text, "?")
	query, err := url.ParseQuery(raw)
	if err != nil {
		t.Fatal(err)
	}
	return list, query
}
