package pgread_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/test/workload"
)

// snapshots is a querier whose snapshot is replaced.
type snapshots struct{ pgread.Querier }

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// listCheck compares a list with its records. It has the reader and the random filters
// of the list.
type listCheck[F any] struct {
	company
	table    string
	resource *readmodel.Resource
	reader   readmodel.Reader[F]
	ask      func(*asked) F
}

// checker is a listCheck of any filter.
type checker interface {
	// check compares the pages of a random list with the records.
	check(ctx context.Context, db querier, chance *rand.Rand) error
	// walk goes through the whole list, in every order, and through some of its
	// parts.
	walk(ctx context.Context, db querier, chance *rand.Rand) error
	// pageThrough goes through the whole list in the order of creation, and back.
	pageThrough(ctx context.Context, db querier) error
	// name is the table.
	name() string
}

func (b listCheck[F]) name() string { return b.table }

// listChecks are the checks of all lists.
func (c company) listChecks(db pgread.Querier) []checker {
	return []checker{
		listCheck[readmodel.ClientFilter]{
			c, "clients", readmodel.Clients, pgread.NewClients(db), askClients,
		},
		listCheck[readmodel.DealFilter]{
			c, "deals", readmodel.Deals, pgread.NewDeals(db), askDeals,
		},
		listCheck[readmodel.AgreementFilter]{c, "offers", readmodel.Offers, pgread.NewOffers(db), askAgreements},
		listCheck[readmodel.AgreementFilter]{c, "contracts", readmodel.Contracts, pgread.NewContracts(db), askAgreements},
		listCheck[readmodel.InvoiceFilter]{
			c, "invoices", readmodel.Invoices, pgread.NewInvoices(db), askInvoices,
		},
		listCheck[readmodel.InvoiceItemFilter]{
			c, "invoice_lines", readmodel.InvoiceItems, pgread.NewInvoiceItems(db), askLines,
		},
	}
}

// expected is a requested list, and the records that belong in it.
type expected[F any] struct {
	listCheck[F]
	*asked
	filter readmodel.Query[F]
	sort   string
	want   []string
}

// counts are the counts of a client.
var counts = []string{"count_deals", "count_offers", "count_contracts", "count_invoices"}

const counting = `
left join (select client_id, count(*) as n from deals group by client_id) deals on deals.client_id = r.id
left join (
    select d.client_id, count(*) as n from offers o join deals d on d.id = o.deal_id group by d.client_id
) offers on offers.client_id = r.id
left join (
    select d.client_id, count(*) as n from contracts c join deals d on d.id = c.deal_id group by d.client_id
) contracts on contracts.client_id = r.id
left join (select client_id, count(*) as n from invoices group by client_id) invoices on invoices.client_id = r.id`

// ordered makes a list in the order of the sort, with what the filter asks.
func (b listCheck[F]) ordered(ctx context.Context, db querier, a *asked, filter F, sort string, shown query.Parameters) (l expected[F], err error) {
	l = expected[F]{listCheck: b, asked: a, sort: sort, filter: readmodel.Query[F]{Filter: filter}}
	if l.filter.Sort, err = query.SortBy(b.resource, sort); err != nil {
		return l, err
	}
	if l.filter.Select, err = query.Select(b.resource, shown); err != nil {
		return l, err
	}
	sql := "select r.id::text from " + b.table + " r"
	if len(shown.Counts) > 0 {
		sql = "select concat_ws(' ', r.id, coalesce(deals.n, 0), coalesce(offers.n, 0), coalesce(contracts.n, 0), coalesce(invoices.n, 0)) from " +
			b.table + " r" + counting
	}
	sql += " where " + a.where() + " order by " + b.orderBy(l.filter.Sort)
	rows, err := db.Query(ctx, sql, a.args...)
	if err != nil {
		return l, fmt.Errorf("%s: %w", sql, err)
	}
	l.want, err = pgx.CollectRows(rows, pgx.RowTo[string])
	return l, err
}

func (b listCheck[F]) orderBy(orders []readmodel.Order) string {
	exprs := make([]string, len(orders))
	for i, o := range orders {
		at := slices.IndexFunc(b.resource.Attributes, func(a readmodel.Attribute) bool { return a.Name == o.Attribute })
		switch {
		case b.resource.Attributes[at].Kind == readmodel.Text:
			exprs[i] = "r." + o.Attribute + "_key"
		case o.Attribute == "paid":
			exprs[i] = "r.status in (2, 3)"
		case o.Attribute == "closed":
			exprs[i] = "r.status = 3"
		default:
			exprs[i] = map[string]string{"user": "r.user_id", "update_on": "r.updated_on"}[o.Attribute]
			if exprs[i] == "" {
				exprs[i] = "r." + o.Attribute
			}
		}
		if o.Descending {
			exprs[i] += " desc nulls first"
		}
	}
	return strings.Join(exprs, ", ")
}

// page fetches a page and expects the rows in the range, and the total.
func (l expected[F]) page(ctx context.Context, what string, p readmodel.Page, from, upTo int) (*readmodel.Rows, error) {
	q := l.filter
	q.Page = p
	rows, err := l.reader.List(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.of(what, p), err)
	}
	total := int64(len(l.want))
	from, upTo = min(max(from, 0), len(l.want)), min(max(upTo, 0), len(l.want))
	if rows.Total != total {
		return nil, fmt.Errorf("%s: the total is %d, and there are %d", l.of(what, p), rows.Total, total)
	}
	if diff := cmp.Diff(append([]string{}, l.want[from:upTo]...), l.texts(rows)); diff != "" {
		return nil, fmt.Errorf("%s: -records +list\n%s", l.of(what, p), diff)
	}
	return rows, nil
}

func (l expected[F]) of(what string, p readmodel.Page) string {
	return fmt.Sprintf("%s, %s of %d rows, number %d; sort=%s; %s", l.table, what, p.Size, p.Number, l.sort, l.asked)
}

// texts are the rows, as want has them.
func (l expected[F]) texts(rows *readmodel.Rows) []string {
	columns := []int{slices.Index(l.filter.Select.Paths, "id")}
	for _, path := range counts {
		if at := slices.Index(l.filter.Select.Paths, path); at >= 0 {
			columns = append(columns, at)
		}
	}
	texts := make([]string, rows.Len())
	for i := range texts {
		cells := make([]string, len(columns))
		for j, column := range columns {
			cell, _ := rows.Cell(i, column)
			cells[j] = string(cell)
		}
		texts[i] = strings.Join(cells, " ")
	}
	return texts
}

// shown draws the selection of a list.
func (b listCheck[F]) shown(chance *rand.Rand) query.Parameters {
	var shown query.Parameters
	if chance.IntN(8) > 0 {
		shown.Fields = domain.Some("id")
	}
	if b.table == "clients" && chance.IntN(3) == 0 {
		shown.Counts = counts
	}
	return shown
}

// order draws a sort: mostly the default one, at times one of several keys.
func (b listCheck[F]) order(chance *rand.Rand) string {
	key := func() string { return workload.One(chance, "", "-") + workload.One(chance, b.resource.SortNames()...) }
	switch chance.IntN(8) {
	case 0, 1, 2:
		return ""
	case 3:
		return "-" + b.resource.DefaultSort
	case 4:
		return key() + "," + key()
	}
	return key()
}

func (b listCheck[F]) check(ctx context.Context, db querier, chance *rand.Rand) error {
	a := &asked{company: b.company, Rand: chance}
	filter := b.ask(a)
	l, err := b.ordered(ctx, db, a, filter, b.order(chance), b.shown(chance))
	if err != nil {
		return err
	}
	size := workload.One(chance, 3, 3, 20, 20, 500)
	last := (len(l.want) + size - 1) / size
	numbers := []int{1, max(last, 1), last + 1}
	if last > 2 {
		numbers = append(numbers, 2+chance.IntN(last-2))
	}
	for _, n := range numbers {
		rows, err := l.page(ctx, "the page", readmodel.Page{Number: int64(n), Size: size}, (n-1)*size, n*size)
		if err != nil {
			return err
		}
		if rows.Next != "" {
			if _, err := l.page(ctx, "the page behind it", readmodel.Page{Number: int64(n + 1), Size: size, Cursor: rows.Next}, n*size, (n+1)*size); err != nil {
				return err
			}
		}
		if rows.Prev != "" {
			if _, err := l.page(ctx, "the page before it", readmodel.Page{Number: int64(n - 1), Size: size, Cursor: rows.Prev}, (n-2)*size, (n-1)*size); err != nil {
				return err
			}
		}
	}
	return nil
}
