package pgread_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/test/workload"
)

// asked draws a filter, and says in SQL on a record r what it means.
type asked struct {
	company
	*rand.Rand
	meaning []string
	args    []any
}

// that adds a condition, with a ? for each value.
func (a *asked) that(condition string, values ...any) {
	for _, value := range values {
		a.args = append(a.args, value)
		condition = strings.Replace(condition, "?", "$"+strconv.Itoa(len(a.args)), 1)
	}
	a.meaning = append(a.meaning, condition)
}

func (a *asked) where() string {
	if len(a.meaning) == 0 {
		return "true"
	}
	return strings.Join(a.meaning, " and ")
}

func (a *asked) String() string { return fmt.Sprintf("%s %v", a.where(), a.args) }

// some makes up to three of the choices.
func (a *asked) some(choices ...func()) {
	a.Shuffle(len(choices), func(i, j int) { choices[i], choices[j] = choices[j], choices[i] })
	for _, choose := range choices[:min(len(choices), workload.One(a.Rand, 0, 0, 1, 1, 1, 2, 2, 3))] {
		choose()
	}
}

// equal asks for a value in a column.
func equal[T ~int64 | ~uint8](a *asked, into *domain.Optional[T], column string, values ...T) {
	value := workload.One(a.Rand, values...)
	*into = domain.Some(value)
	a.that("r."+column+" = ?", int64(value))
}

// anyOf asks for one of the values in a column, or for several.
func anyOf[T ~int64 | ~uint8](a *asked, into *[]T, condition string, values ...T) {
	a.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	chosen := values[:1+a.IntN(len(values))]
	slices.Sort(chosen)
	*into = slices.Compact(chosen)
	numbers := make([]int64, len(*into))
	for i, v := range *into {
		numbers[i] = int64(v)
	}
	a.that(condition, numbers)
}

// containing asks for a substring of the text that the SQL gives the key of.
func (a *asked) containing(into *string, condition string) {
	*into = a.substring()
	a.that(condition, textkey.Of(*into))
}

// part is the condition of holding a substring.
const part = "position(?::text in %s) > 0"

// substring is often one that was asked for before, and at times a new one;
// short, with signs of the database's own, or nowhere to be found.
func (a *asked) substring() string {
	if a.IntN(3) == 0 {
		return workload.Name(a.Rand)
	}
	return workload.One(a.Rand, "süd", "SÜD 1", "nord", "STRASSE", "straße 2", "0%", "t_w", "o", " 3", "1", "ß", "nirgends", `\`)
}

func (a *asked) user() []user.ID {
	return []user.ID{a.Office.Manager, a.Office.Other, a.Office.Viewer}
}

func (a *asked) client() []client.ID {
	return []client.ID{a.Office.Client, a.Office.OtherClient, client.ID(1 + a.IntN(60))}
}

func (a *asked) deal() []deal.ID {
	return []deal.ID{a.Office.Deal, a.Office.Inquiry, deal.ID(1 + a.IntN(60))}
}

func askClients(a *asked) (f readmodel.ClientFilter) {
	a.some(
		func() { anyOf(a, &f.IDs, "r.id = any(?)", a.client()...) },
		func() { anyOf(a, &f.UserIDs, "r.user_id = any(?)", a.user()...) },
		func() { equal(a, &f.Type, "type", client.Company, client.Person) },
		func() { a.containing(&f.Name, fmt.Sprintf(part, "r.name_key")) },
		func() { a.containing(&f.Search, fmt.Sprintf(part, "r.name_key")) },
		func() {
			f.Email = workload.One(a.Rand, "BÜRO@zolw.example", "post@nord.example", "nobody@example.org")
			a.that("r.email_key = ?", textkey.Of(f.Email))
		},
	)
	return f
}

func askDeals(a *asked) (f readmodel.DealFilter) {
	a.some(
		func() { anyOf(a, &f.IDs, "r.id = any(?)", a.deal()...) },
		func() { anyOf(a, &f.ClientIDs, "r.client_id = any(?)", a.client()...) },
		func() { anyOf(a, &f.UserIDs, "r.user_id = any(?)", a.user()...) },
		func() { anyOf(a, &f.StatusIDs, "r.status_id = any(?)", a.Office.Default, a.Office.Status) },
		func() { anyOf(a, &f.TypeIDs, "r.type_id = any(?)", a.Office.DealType, a.Office.DealType+100) },
		func() { a.containing(&f.Name, fmt.Sprintf(part, "r.name_key")) },
	)
	return f
}

func askAgreements(a *asked) (f readmodel.AgreementFilter) {
	a.some(
		func() { anyOf(a, &f.IDs, "r.id = any(?)", 1, 2, int64(1+a.IntN(60))) },
		func() { equal(a, &f.DealID, "deal_id", a.deal()...) },
		func() {
			anyOf(a, &f.ClientIDs, "exists (select from deals d where d.id = r.deal_id and d.client_id = any(?))", a.client()...)
		},
		func() { a.containing(&f.Number, fmt.Sprintf(part, "r.number_key")) },
	)
	return f
}

func askInvoices(a *asked) (f readmodel.InvoiceFilter) {
	a.some(
		func() { anyOf(a, &f.IDs, "r.id = any(?)", 1, invoice.ID(1+a.IntN(60)), invoice.ID(1+a.IntN(60))) },
		func() { anyOf(a, &f.UserIDs, "r.user_id = any(?)", a.user()...) },
		func() { anyOf(a, &f.TypeIDs, "r.type_id = any(?)", a.Office.InvoiceType, a.Office.OtherInvoiceType) },
		func() {
			anyOf(a, &f.Statuses, "r.status = any(?)", invoice.NotPaid, invoice.Paid, invoice.Closed, invoice.Cancelled)
		},
		func() { anyOf(a, &f.ClientIDs, "r.client_id = any(?)", a.client()...) },
		func() { equal(a, &f.DealID, "deal_id", a.deal()...) },
		func() { a.containing(&f.Number, fmt.Sprintf(part, "r.number_key")) },
		func() {
			a.containing(&f.Company, "exists (select from clients c where c.id = r.client_id and "+fmt.Sprintf(part, "c.name_key")+")")
		},
		func() { a.month(&f.Year, &f.Month, "r.date") },
		func() { a.month(&f.PaidYear, &f.PaidMonth, "r.paid_on") },
		func() { a.dates(&f.DateFrom, &f.DateTo, "r.date::date") },
		func() { a.dates(&f.PaidFrom, &f.PaidTo, "(r.paid_on at time zone '"+workload.Zone+"')::date") },
		func() { a.month(&f.Year, &f.Month, "r.date") }, // as they are what is drawn seldom
	)
	return f
}

func askLines(a *asked) (f readmodel.InvoiceItemFilter) {
	a.some(
		func() { equal(a, &f.InvoiceID, "invoice_id", invoice.ID(1+a.IntN(60))) },
		func() {
			f.Name = workload.One(a.Rand, "FÄHRE", "stück", "ü")
			a.that(fmt.Sprintf(part, "r.name_key"), textkey.Of(f.Name))
		},
	)
	return f
}

// dates asks for a range of dates that may have one end.
func (a *asked) dates(from, upTo *readmodel.Date, date string) {
	first := time.Date(2023, 1, 1+a.IntN(1500), 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 0, workload.One(a.Rand, 0, 1, 30, 400))
	if which := a.IntN(3); which != 0 {
		*from = readmodel.Date(first.Format(time.DateOnly))
		a.that(date+" >= ?::text::date", string(*from))
		if which == 1 {
			return
		}
	}
	*upTo = readmodel.Date(last.Format(time.DateOnly))
	a.that(date+" <= ?::text::date", string(*upTo))
}

// month asks for a year, a month of it or one of any year. Asked again, it
// leaves it at that.
func (a *asked) month(year, month *domain.Optional[int], column string) {
	_, isAsked := year.Get()
	if _, also := month.Get(); isAsked || also {
		return
	}
	local := column + " at time zone '" + workload.Zone + "'" // that of a worker is another one
	which := a.IntN(3)
	if which != 0 {
		y := workload.One(a.Rand, 0, 1, 2023, 2023, 2024, 2024, 2025, 2025, 2026, 2027, 9999)
		*year = domain.Some(y)
		a.that("extract(year from "+local+") = ?::integer", y)
	}
	if which != 1 {
		m := 1 + a.IntN(12)
		*month = domain.Some(m)
		a.that("extract(month from "+local+") = ?::integer", m)
	}
}
