package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// issuing returns the routes that issue and credit an invoice.
func issuing(commands *command.Invoices) []route {
	r := endpoint[readmodel.NoFilter]{
		path: "invoice", table: readmodel.Invoices, format: xmlFormat, record: "Invoice", docs: &invoiceDocs,
		body: fieldsOf(issueDate),
		parameters: []apidoc.Parameter{{
			Name: "as", Schema: apidoc.OneOf(append(formNames(), unchecked)...),
			Description: "The form that the document is checked for; default `ubl`. With `none`, it may lack anything.",
		}},
	}
	credit := r
	credit.body = append(fieldsOf(issueDate), fieldsOf(creditAttributes)...)
	return []route{
		r.action(http.MethodPost, "/:id/issue", apidoc.Create, &issueAction, func(c *call) (*response, error) {
			return r.issue(c, func(ctx context.Context, in *input, issue command.IssueRequest) (int64, error) {
				return c.id, commands.Issue(ctx, in.request, invoice.ID(c.id), issue)
			})
		}),
		credit.action(http.MethodPost, "/:id/credit", apidoc.Create, &creditAction, func(c *call) (*response, error) {
			return credit.issue(c, func(ctx context.Context, in *input, issue command.IssueRequest) (int64, error) {
				request := creditAttributes(in)
				request.IssueRequest = issue
				id, err := commands.Credit(ctx, in.request, invoice.ID(c.id), request)
				return int64(id), in.asSent(err)
			})
		}),
	}
}

// issue parses what both routes have in common.
func (r endpoint[F]) issue(c *call, do func(ctx context.Context, in *input, issue command.IssueRequest) (int64, error)) (*response, error) {
	p := c.params()
	form := checkedForm(c, p)
	if err := p.err(); err != nil {
		return nil, err
	}
	return r.create(writes{create: func(ctx context.Context, in *input) (int64, error) {
		return do(ctx, in, command.IssueRequest{Date: issueDate(in), Form: form})
	}})(c)
}

// unchecked is the value of as for which a document may lack anything.
const unchecked = "none"

// checkedForm returns the form that a document that is issued has to be complete for; absent if it may lack anything.
func checkedForm(c *call, p *params) domain.Optional[billing.Form] {
	if lastOf(c.query.Values, "as") == unchecked {
		return domain.Optional[billing.Form]{}
	}
	return domain.Some(cmp.Or(namedForm(c, p, unchecked), billing.UBL))
}

func issueDate(in *input) domain.Optional[time.Time] {
	return parsed(in, in.field("date", apidoc.Date, "", inBody("The date of the document.")), civil.Parse)
}

// creditAttributes reads what a credit has beside its date.
func creditAttributes(in *input) (r command.CreditRequest) {
	number := in.field("number", apidoc.Text(text.Number), "", inBody(
		"The number of the credit note, if the invoice was numbered by hand; else it is drawn from the series of credit notes."))
	notice := in.field("notice", apidoc.Text(longText), "", inBody("The reason, which the document says."))
	r.Lines = listOf(in, apidoc.Field{
		Name: "items", As: "CreditedLine", Description: "Lines of the invoice; without it, all that is left.",
	}, "line", creditedLine) // before the others in errors
	r.Notice, r.Number = in.text(notice), in.text(number)
	return r
}

func creditedLine(line *input) invoice.CreditedLine {
	id, ok := idField[invoice.LineID](line, line.field("id", apidoc.ID, "A line of the invoice.", required)).Get()
	if !ok {
		line.refuse(fault.Required, "id", "is required")
	}
	return invoice.CreditedLine{
		ID: id,
		Count: either(line, line.short(lineCount, apidoc.Of(readmodel.Quantity), "How much of it; without it, all that is left."),
			money.ParseQuantity),
		Price: either(line, line.short(linePrice, amount, "Optional; if present, it must be that of the line."), money.ParseAmount),
		Total: controlTotal(line, line.short(lineTotal, amount,
			"Optional; if present, it must not differ from that of the credit note by more than 0.005, whatever its sign.")),
	}
}

// short declares an attribute by its short name.
func (in *input) short(names twoNames, schema apidoc.Schema, description string) twoNames {
	in.field(names.short, schema, "", inBody(description), alias(names.long))
	return names
}

var issueAction = apidoc.Action{
	ID: "issueInvoice", Summary: "Issue one invoice",
	Does: "Numbers the invoice in the series of its performer, freezes it and stores its document. An issued invoice changes only " +
		"in its payment, its closing and `notice`, and cannot be deleted. A document that lacks something is a 422 that lists it. An " +
		"invoice that is issued, closed or cancelled, and one of a performer without a series, is a 409.",
	Headers:  []string{"ETag", "Idempotent-Replayed", "Preference-Applied", "Kontor-Warning"},
	Problems: issuingProblems,
	Body: &apidoc.Body{
		Suffix: "Issue", Description: "The date of the invoice; the body may be empty.",
		Summary: "On another day", Example: `{"date":"2024-03-11"}`,
	},
}

var creditAction = apidoc.Action{
	ID: "creditInvoice", Summary: "Credit one invoice",
	Does: "Creates a credit note, an issued invoice with negative lines and a number of its own series. An invoice of " +
		"which nothing is left becomes cancelled with its credit notes, unless one of them is paid. Credits in parts add up to the " +
		"invoice; more than is left, of a line or altogether, is a 422. A draft and a credit note are a 409. The credit note for an " +
		"invoice that was numbered by hand is numbered by `number`, and the invoice is frozen as an issued one.",
	Problems: issuingProblems,
	Body: &apidoc.Body{
		Suffix: "Credit", Description: "What to credit; with an empty body, all that is left.",
		Summary: "A part", Example: `{"date":"2024-03-20","items":[{"id":7,"count":1}]}`,
	},
}

var issuingProblems = []int{
	http.StatusNotFound, http.StatusConflict, http.StatusRequestEntityTooLarge,
	http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity,
}
