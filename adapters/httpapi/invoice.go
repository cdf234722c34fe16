package httpapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/body"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func invoiceRoutes(reader readmodel.Reader[readmodel.InvoiceFilter], commands *command.Invoices) []route {
	return resource[readmodel.InvoiceFilter]{
		path:   "invoice",
		table:  readmodel.Invoices,
		reader: reader,
		format: xmlFormat,
		filter: invoiceFilter,
		record: "Invoice",
		lesson: &invoiceLesson,
		body:   invoiceFields,
	}.writing(writes{
		create: func(ctx context.Context, in *input) (int64, error) {
			a := invoiceAttributes(in)
			id, err := commands.Create(ctx, in.request, a)
			return int64(id), in.asSent(err)
		},
		update: func(ctx context.Context, in *input, id int64) error {
			a := invoiceAttributes(in)
			if n, ok := in.Fields["items"]; ok && n.Kind == body.Null {
				in.refuse("items", "must be a list of lines: leave it out to keep them, send an empty list to remove them")
			}
			return in.asSent(commands.Update(ctx, in.request, invoice.ID(id), a))
		},
		remove: func(ctx context.Context, r command.Request, id int64) error {
			return commands.Delete(ctx, r, invoice.ID(id))
		},
	})
}

var invoiceFields = slices.Concat(
	[]field{
		named("number", 64),
		{name: "date", schema: dateSchema, required: true},
		refersTo("performer_id", "").must(),
		refersTo("client_id", "").must(),
		refersTo("type_id", "").must(),
		refersTo("deal_id", "A deal of the client; without it, a new invoice opens one."),
	},
	textFields(longText, "notice"),
	[]field{
		{name: "paid", schema: kindSchema(readmodel.Bool)},
		{name: "closed", schema: kindSchema(readmodel.Bool)},
		{
			name: "status_id", schema: object{{"type", "integer"}, {"minimum", invoice.NotPaid}, {"maximum", invoice.Cancelled}},
			about: "1: not paid, 2: paid, 3: closed, 4: cancelled.",
		},
		{
			name: "items", schema: object{{"type", "array"}}, line: invoiceLineFields,
			about: "The whole set of lines: one with an id changes that line, one without is added, and a line that is not named goes.",
		},
	},
)

func invoiceFilter(p *params) readmodel.InvoiceFilter {
	f := readmodel.InvoiceFilter{
		Number:    p.text("number"),
		Company:   p.textAbout("company", "Only those of a client with this text in its name, whatever its case."),
		ClientID:  idParam[client.ID](p, "client_id"),
		DealID:    idParam[deal.ID](p, "deal_id"),
		UserID:    idParam[user.ID](p, "user_id"),
		TypeID:    idParam[catalog.InvoiceTypeID](p, "type_id"),
		Year:      yearParam(p, "year"),
		Month:     monthParam(p, "month"),
		PaidYear:  yearParam(p, "paid_year"),
		PaidMonth: monthParam(p, "paid_month"),
	}
	if n, ok := p.number("status_id", int64(invoice.NotPaid), int64(invoice.Cancelled)); ok {
		f.Status = optional.Some(invoice.Status(n))
	}
	return f
}

// yearParam is a year of four digits.
func yearParam(p *params, name string) optional.Of[int] {
	p.declare(name, func() (object, string) {
		return object{{"type", "integer"}, {"minimum", 0}, {"maximum", 9999}}, "Only those of this year, in four digits."
	})
	raw := lastOf(p.query, name)
	if raw == "" {
		return optional.Of[int]{}
	}
	year, err := strconv.Atoi(raw)
	if err != nil || len(raw) != 4 || strings.Trim(raw, "0123456789") != "" {
		p.refuse(name, "must be a year of four digits")
		return optional.Of[int]{}
	}
	return optional.Some(year)
}

func monthParam(p *params, name string) optional.Of[int] {
	month, ok := p.number(name, 1, 12)
	if !ok {
		return optional.Of[int]{}
	}
	return optional.Some(int(month))
}

func invoiceAttributes(in *input) invoice.Attributes {
	return invoice.Attributes{
		Number:      in.text("number"),
		Date:        parsedOr(in, "date", civil.Parse, time.Time{}),
		PerformerID: idField[performer.ID](in, "performer_id"),
		ClientID:    idField[client.ID](in, "client_id"),
		DealID:      idField[deal.ID](in, "deal_id"),
		TypeID:      idField[catalog.InvoiceTypeID](in, "type_id"),
		Notice:      in.text("notice"),
		Paid:        in.boolean("paid"),
		Closed:      in.boolean("closed"),
		Status:      parsed(in, "status_id", parseInvoiceStatus),
		Lines:       invoiceLines(in),
	}
}

func parseInvoiceStatus(s string) (invoice.Status, error) {
	n, err := parseInteger(s)
	if status, ok := invoice.ParseStatus(n); err == nil && ok {
		return status, nil
	}
	return 0, errors.New("must be 1 (not paid), 2 (paid), 3 (closed) or 4 (cancelled)")
}

// invoiceLines is the lines of an invoice. An empty text is an empty list, as
// XML shows one; null says nothing.
func invoiceLines(in *input) optional.Of[[]invoice.LineAttributes] {
	n, ok := in.Fields["items"]
	if !ok || n.Kind == body.Null {
		return optional.Of[[]invoice.LineAttributes]{}
	}
	if n.Kind != body.List && !n.IsEmpty() {
		in.refuse("items", "must be a list of lines")
		return optional.Of[[]invoice.LineAttributes]{}
	}
	lines := make([]invoice.LineAttributes, len(n.Items))
	for i, item := range n.Items {
		name := fmt.Sprintf("items[%d]", i)
		if item.Kind != body.Record {
			in.refuse(name, "must be a line, with a name")
			continue
		}
		line := in.inner(name, item)
		id := idField[invoice.LineID](line, "id")
		if id.Or(0) == 0 {
			lines[i] = lineAttributes(line)
		} else {
			lines[i] = storedLineAttributes(line)
		}
		lines[i].ID = id
		in.include(line)
	}
	return optional.Some(lines)
}

var invoiceLesson = lesson{
	about: "Invoices belong to a deal and are issued by a performer. The service works out all amounts from the lines. " +
		"An invoice is not paid (1), paid (2), closed (3) or cancelled (4); closed and cancelled ones are frozen but for their state and `notice`.",
	words: map[verb]string{
		listing: "The client (`company`), the user who made it (`manager`) and the state (`status`) are shown unless `expand` or `fields` says otherwise; " +
			"the lines are shown with `expand=items`. Parts of dates work alone: `month=5` finds the Mays of all years.",
		creating: "Without `deal_id` a deal is opened for the client, named after the invoice. Lines, deal and the entry in the deal's history are written with it, or nothing is.",
		updating: "`items` says what the lines shall be; without it they stay. The state moves from 1 to 2, from 2 to 3 and from 1 to 4, and back; other moves are a 409. " +
			"What an invoice is frozen against is a 409 too.",
		removing: "Its lines go with it. A closed one cannot be deleted: 409.",
	},
	notes: notes{
		"id":           shows("", "77"),
		"user_id":      shows("The user who made the invoice.", "4"),
		"paid":         shows("True in the states 2 and 3. A write asks for a state by it, where it is another than the stored one.", "f"),
		"closed":       shows("True in state 3. A write asks for a state by it, where it is another than the stored one.", "f"),
		"number":       shows("Your own number of it; need not be unique.", "2024-0117"),
		"date":         shows("The date of issue, which no time zone shifts.", "2024-03-09 00:00:00"),
		"notice":       shows("", "Payable within 14 days."),
		"deal_id":      shows("The deal that it belongs to.", "58"),
		"total_count":  shows("How many lines there are.", "3"),
		"total_price":  shows("The sum of the lines.", "27741.0000"),
		"vat_price":    shows("The VAT on the sum.", "5270.7900"),
		"pay_price":    shows("The amount to pay: sum and VAT.", "33011.7900"),
		"created_on":   shows("", "2024-03-09 16:05:00"),
		"paid_on":      shows("When it was paid; null while it is not."),
		"updated_on":   shows("", "2024-03-09 16:05:00"),
		"update_on":    shows("The same as updated_on, for older clients.", "2024-03-09 16:05:00"),
		"performer_id": shows("The performer that issues it and whose VAT is charged."),
		"client_id":    shows("The client; that of the deal, if there is a deal."),
		"type_id":      shows("The invoice type."),
		"items":        shows("The lines, in the order of their ids."),
		"type.id":      shows("", "3"),
		"type.name":    shows("", "Invoice"),
		"status.id":    shows("", "1"),
		"status.name":  shows("", "Not paid"),
	},
	story: story{
		create: object{
			{"number", "2024-0117"}, {"date", "2024-03-09"}, {"performer_id", 8}, {"client_id", 31}, {"type_id", 3}, {"deal_id", 58},
			{"notice", "Payable within 14 days."},
			{"items", []object{
				{{"name", "Bed, oak, 160 cm"}, {"units", "pcs"}, {"items_count", 12}, {"item_price", "1240.00"}},
				{{"name", "Wardrobe, two doors"}, {"units", "pcs"}, {"items_count", 12}, {"item_price", "890.50"}},
				{{"name", "Fitting"}, {"units", "h"}, {"items_count", 37.5}, {"item_price", "58.00"}},
			}},
		},
		change: object{{"status_id", 2}},
		changed: map[string]string{
			"paid": "t", "paid_on": "2024-03-21 09:12:00", "updated_on": "2024-03-21 09:12:00", "update_on": "2024-03-21 09:12:00",
			"status.id": "2", "status.name": "Paid",
		},
	},
}
