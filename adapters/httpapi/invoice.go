package httpapi

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/body"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Invoices returns the invoice resource with the explanations of its amounts.
func Invoices(reader readmodel.Reader[readmodel.InvoiceFilter], explanations query.RecordReader, commands *command.Invoices) Resource {
	invoices := endpoint[readmodel.InvoiceFilter]{
		path:    "invoice",
		table:   readmodel.Invoices,
		reader:  reader,
		format:  xmlFormat,
		filter:  invoiceFilter,
		record:  "Invoice",
		columns: "number,status.name,company.name,date,due_date,pay_price,due_price",
		hidden:  "id,status.id,company.id,issued_on,credits,currency,performer.id,total_price",
		docs:    &invoiceDocs,
		body:    fieldsOf(invoiceAttributes),
		instead: map[string]string{
			"paid": "status_id", "closed": "status_id", "status": "status_id", "date": "date_from and date_to", "due_date": "due_before or overdue",
			"paid_on": "paid_from and paid_to", "manager": "user_id",
		},
	}.writing(keyedWritesOf(commands, invoiceAttributes))
	return append(append(invoices, explained(explanations)), issuing(commands)...)
}

func invoiceFilter(p *params) readmodel.InvoiceFilter {
	f := readmodel.InvoiceFilter{
		Number:    p.text("number"),
		Company:   p.textDescribed("company", "Only invoices of clients with this text in their name, ignoring case and diacritics."),
		ClientIDs: idsParam[client.ID](p, "client_id"),
		DealID:    idParam[deal.ID](p, "deal_id"),
		UserIDs:   idsParam[user.ID](p, "user_id"),
		TypeIDs:   idsParam[catalog.InvoiceTypeID](p, "type_id"),
		Year:      yearParam(p, "year"),
		Month:     monthParam(p, "month"),
		PaidYear:  yearParam(p, "paid_year"),
		PaidMonth: monthParam(p, "paid_month"),

		Statuses: numbersParam[invoice.Status](p, "status_id", int64(invoice.NotPaid), int64(invoice.Cancelled)),

		IDs:          idsParam[invoice.ID](p, "id"),
		UpdatedSince: updatedSince(p),
		Ref:          refFilter(p),
	}
	f.Credits = creditsParam(p)
	f.Due = p.flagDescribed("due", "1: only invoices of which something is due, and credit notes of which something is to be paid back.")
	f.DueFrom = dateParam(p, "due_from", "Only invoices with this due date or a later one; no drafts, credit notes and cancelled ones.")
	f.DueBefore = dateParam(p, "due_before", "Only invoices with an earlier due date; no drafts, credit notes and cancelled ones.")
	f.Overdue = p.flagDescribed("overdue",
		"1: only invoices that are not paid although their due date is over; no drafts and credit notes.")
	f.DateFrom, f.DateTo = datesParam(p, "invoices", "date_from", "date_to", "date")
	f.PaidFrom, f.PaidTo = datesParam(p, "invoices", "paid_from", "paid_to", "day of payment, in the time zone of the service")
	return f
}

func yearParam(p *params, name string) domain.Optional[int] {
	p.declare(name, func() (apidoc.Schema, string) {
		return apidoc.Between(0, 9999), "Only invoices of this year, in four digits."
	})
	raw := lastOf(p.query, name)
	if raw == "" {
		return domain.Optional[int]{}
	}
	year, err := strconv.Atoi(raw)
	if err != nil || len(raw) != 4 || strings.Trim(raw, "0123456789") != "" {
		p.reject(name, "must be a year of four digits")
		return domain.Optional[int]{}
	}
	return domain.Some(year)
}

// datesParam returns the first and the last day of a range, by the parameters from and to.
func datesParam(p *params, records, from, to, what string) (first, last readmodel.Date) {
	first = dateParam(p, from, "Only "+records+" with this "+what+", or a later one.")
	last = dateParam(p, to, "Only "+records+" with this "+what+", or an earlier one.")
	if first != "" && last != "" && last < first {
		p.reject(to, "must not be before "+from)
	}
	return first, last
}

func dateParam(p *params, name, description string) readmodel.Date {
	p.declare(name, func() (apidoc.Schema, string) { return apidoc.Day, description })
	raw := lastOf(p.query, name)
	if raw == "" {
		return ""
	}
	if date, err := time.Parse(time.DateOnly, raw); err != nil || !civil.InRange(date) {
		p.reject(name, "must be a date from 1900 on: YYYY-MM-DD")
		return ""
	}
	return readmodel.Date(raw)
}

func monthParam(p *params, name string) domain.Optional[int] {
	month, ok := p.number(name, 1, 12)
	if !ok {
		return domain.Optional[int]{}
	}
	return domain.Some(int(month))
}

func invoiceAttributes(in *input) (a invoice.Attributes) {
	if n, ok := in.Fields["items"]; ok && n.Kind == body.Null && in.isChange {
		in.refuse(fault.WrongType, "items", "must be a list of lines: leave it out to keep them, send an empty list to remove them")
	}
	a.Number = in.text(in.field("number", invoiceNumber,
		"A number of your own, which need not be unique. An invoice of a series is `draft-` and its id until it is issued.",
		inBody("Required, unless the performer numbers its invoices by a series.")))
	a.Date = parsedOr(in, in.field("date", apidoc.Date, "The date of issue, independent of time zones.", required), civil.Parse, time.Time{})
	a.DueDate = parsedOr(in, in.field("due_date", apidoc.Date, "The day until which it is to be paid. "+
		"Default: the date and the `payment_days` of the client's party, or else of the performer's."), civil.Parse, time.Time{})
	a.EarlyRate = parsedOr(in, in.field("discount_percent_early", percent, "The discount for who pays until `discount_until`, above 0. "+
		"Without both, a new invoice has that of the client's party, or else of the performer's."), positive(money.ParsePercent), money.Percent{})
	a.EarlyUntil = parsedOr(in, in.field("discount_until", apidoc.Date, "The last day of that discount, not before the date."),
		civil.Parse, time.Time{})
	a.PerformerID = idField[performer.ID](in,
		in.field("performer_id", apidoc.ID, "The performer that issues the invoice and determines its VAT.", required))
	a.ClientID = idField[client.ID](in, in.field("client_id", apidoc.ID, "The client; if there is a deal, the deal's client.", required))
	typeID := in.field("type_id", apidoc.ID, "The invoice type.", required)
	a.DealID = idField[deal.ID](in, in.field("deal_id", apidoc.ID, "The deal of the invoice.",
		inBody("A deal of the client; without it, a new invoice opens one for the client.")))
	a.TypeID = idField[catalog.InvoiceTypeID](in, typeID) // after deal_id in errors
	a.Notice = in.textField("notice", longText, "")
	a.Discount = discount(in, "What is taken off the lines of each VAT rate, in percent; default 0.")
	a.Adjustments = adjustments(in, invoiceAdjustmentsField, invoiceAdjustment)
	a.Currency = in.pattern("currency", "^[A-Za-z]{3}$", "EUR",
		"The currency, of at most 2 fraction digits; null: that of the performer's party.")
	a.Exchange = parsedOr(in, in.field("exchange_rate", apidoc.Of(readmodel.Quantity),
		"How much one unit of `currency` is in the performer's, above 0; electronic invoices need it if the two differ."),
		positive(money.ParseQuantity), money.Quantity{})
	a.Trade = invoiceTerms(in)
	a.Paid = in.boolean(in.field("paid", apidoc.Bool,
		"True in states 2 and 3. In a write, a value that differs from the stored one requests a change of state."))
	a.Closed = in.boolean(in.field("closed", apidoc.Bool,
		"True in state 3. In a write, a value that differs from the stored one requests a change of state."))
	a.Status = parsed(in, in.field("status_id", invoiceStatus, "", inBody("1: not paid, 2: paid, 3: closed, 4: cancelled.")),
		parseInvoiceStatus)
	a.Ref = in.text("ref") // before items in errors
	a.Lines = invoiceLines(in)
	in.refField()
	return a
}

var (
	invoiceNumber     = apidoc.RequiredText("number", text.Number).Schema
	invoiceStatus     = apidoc.Between(int64(invoice.NotPaid), int64(invoice.Cancelled))
	invoiceLinesField = apidoc.Field{
		Name: "items", As: "InvoiceLine", About: "The lines, by ascending id.",
		Description: "The complete set of lines: an element with an id changes that line, one without adds a line, and lines that " +
			"are missing are removed.",
	}
)

// positive parses a number of which null is none, but 0 is wrong.
func positive[T interface{ IsZero() bool }](parse func(string) (T, error)) func(string) (T, error) {
	return func(s string) (T, error) {
		n, err := parse(s)
		if err == nil && n.IsZero() {
			err = errors.New("must be above 0")
		}
		return n, err
	}
}

func parseInvoiceStatus(s string) (invoice.Status, error) {
	n, err := parseInteger(s)
	if status, ok := invoice.ParseStatus(n); err == nil && ok {
		return status, nil
	}
	return 0, errors.New("must be 1 (not paid), 2 (paid), 3 (closed) or 4 (cancelled)")
}

// invoiceLines returns the lines of an invoice. An empty element of XML is an empty list; null
// is none.
func invoiceLines(in *input) domain.Optional[[]invoice.LineAttributes] {
	if n, ok := in.Fields["items"]; ok && n.Kind == body.Null {
		return domain.Optional[[]invoice.LineAttributes]{}
	}
	return listOf(in, invoiceLinesField, "line", func(line *input) (a invoice.LineAttributes) {
		id := idField[invoice.LineID](line, line.field("id", apidoc.ID, "",
			inBody("The id of an existing line. Without it the line is new and needs a name.")))
		if id.Or(0) == 0 {
			a = lineAttributes(line)
		} else {
			a = storedLineAttributes(line)
		}
		a.ID = id
		return a
	})
}

var invoiceDocs = apidoc.Docs{
	Description: "Invoices belong to a deal and are issued by a performer. The service computes all amounts from the lines. " +
		"An invoice is not paid (1), paid (2), closed (3) or cancelled (4). A closed or cancelled invoice is frozen: only its state " +
		"and `notice` may change.",
	Operations: map[apidoc.Verb]string{
		apidoc.List: "The client (`company`), the user who created it (`manager`) and the state (`status`) are included unless " +
			"`expand` or `fields` says otherwise; the lines are included with `expand=items`. Each part of a date can be a filter of its " +
			"own: `month=5` finds May of every year.",
		apidoc.Create: "Without `deal_id`, a deal named after the invoice is opened for the client. Invoice, lines, deal and the " +
			"entry in the deal's history are written together or not at all.",
		apidoc.Update: "`items` replaces the set of lines; without it the lines stay. The state can change between 1 and 2, 2 and 3, " +
			"and 1 and 4, in both directions, and from 1 to 3 in a write that also pays the invoice; any other transition is a 409. " +
			"So is a change of a frozen invoice.",
		apidoc.Delete: "Its lines are deleted with it. A closed invoice cannot be deleted: 409.",
	},
	Attributes: apidoc.Attributes{
		"user_id":      "The user who created the invoice.",
		"issued_on":    "When the invoice was issued, or, if it was numbered by hand, first credited; else null.",
		"credits":      "The invoice that this credit note is for.",
		"total_count":  "The number of lines.",
		"total_price":  "The sum of the lines, less the discount, with the adjustments.",
		"vat_price":    "The VAT, which is rounded for each VAT rate.",
		"payments":     "What payments settle of the invoice, by date.",
		"vat":          "The amounts by VAT category and rate, the highest rate first.",
		"pay_price":    "The amount to pay: total_price and vat_price.",
		"paid_price":   "What payments have paid.",
		"waived_price": "What was waived, such as a discount for early payment.",
		"due_price":    "What is due: pay_price in cents, less what is paid and waived; below 0, what is to be paid back; 0 if cancelled.",
		"paid_on":      "The time of payment; null if not paid.",
		"update_on":    "The same as updated_on, for older clients.",
	},
	Embedded: map[string]apidoc.Attributes{
		"InvoiceLine": invoiceItemDocs.Attributes,
		"InvoicePayment": {
			"id":        "The payment.",
			"date":      "Its day.",
			"amount":    "How much of it is for the invoice.",
			"waived":    "What it settles without money.",
			"reason":    "Why something is waived.",
			"automatic": "Whether a writer has said that the invoice is paid.",
		},
		"InvoiceVAT": {
			"vat_category": "The VAT category: that of the lines, or of the performer's party.",
			"vat_percent":  "The VAT rate, in percent.",
			"total_price":  "The sum of the lines, less the discount, with the adjustments.",
			"vat_price":    "The VAT on it.",
		},
	},
	Create: `{"number":"2024-0117","date":"2024-03-09","performer_id":8,"client_id":31,"type_id":3,"deal_id":58,` +
		`"notice":"Payable within 14 days.",` +
		`"items":[{"name":"Bed, oak, 160 cm","units":"pcs","items_count":12,"item_price":"1240.00"},` +
		`{"name":"Wardrobe, two doors","units":"pcs","items_count":12,"item_price":"890.50"},` +
		`{"name":"Fitting","units":"h","items_count":37.5,"item_price":"58.00"}]}`,
	Change: `{"status_id":2}`,
}
