package httpapi

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// params parses query parameters and collects the errors. An empty value counts as
// absent, and of a repeated parameter the last value counts.
type params struct {
	query url.Values
	id    int64 // the <id> of the path; 0 if it has none
	wrong []fault.Field
	// documented, if set, collects the parameters that are read, for the OpenAPI document.
	documented *[]apidoc.Parameter
}

// params returns the parser of the parameters of the call.
func (c *call) params() *params { return &params{query: c.query.Values, id: c.id} }

// declare documents a parameter that is read. A request does not evaluate describe.
func (p *params) declare(name string, describe func() (schema apidoc.Schema, description string)) {
	if p.documented == nil {
		return
	}
	schema, description := describe()
	*p.documented = append(*p.documented, apidoc.Parameter{Name: name, Schema: schema, Description: description})
}

// choices are the values of the parameter declared last.
func (p *params) choices(values ...string) {
	if p.documented != nil {
		(*p.documented)[len(*p.documented)-1].Choices = values
	}
}

// refers is the resource of the ids of the parameter declared last.
func refers[ID ~int64](p *params) {
	if p.documented != nil {
		(*p.documented)[len(*p.documented)-1].Refers = resourceOf(ID(0))
	}
}

// resourceOf returns the resource that identifiers of this type belong to, as in its path; "" if no filter refers to it.
func resourceOf(id any) string {
	switch id.(type) {
	case client.ID:
		return "client"
	case deal.ID:
		return "deal"
	case invoice.ID:
		return "invoice"
	case performer.ID:
		return "performer"
	case user.ID:
		return "user"
	case catalog.StatusID:
		return "status"
	case catalog.DealTypeID:
		return "deal-type"
	case catalog.InvoiceTypeID:
		return "invoice-type"
	}
	return ""
}

// err has all invalid parameters.
func (p *params) err() error { return fault.ForFields(fault.Malformed, p.wrong...) }

func (p *params) reject(name, message string) {
	p.wrong = append(p.wrong, fault.Field{Name: name, Message: message})
}

func (p *params) number(name string, low, high int64) (n int64, ok bool) {
	p.declare(name, func() (apidoc.Schema, string) {
		return apidoc.Between(low, high), "Only records with this " + name + "."
	})
	raw := lastOf(p.query, name)
	if raw == "" {
		return 0, false
	}
	n, err := strconv.ParseInt(raw, 10, 64)
	if err != nil || n < low || n > high || raw[0] == '+' {
		allowed := "an integer between " + strconv.FormatInt(low, 10) + " and " + strconv.FormatInt(high, 10)
		if high == maxPage {
			allowed = strconv.FormatInt(low, 10) + " or more"
		}
		p.reject(name, "must be "+allowed)
		return 0, false
	}
	return n, true
}

func (p *params) flag(name string) bool {
	n, ok := p.number(name, 0, 1)
	return ok && n == 1
}

// flagDescribed is like flag, with a description of its own.
func (p *params) flagDescribed(name, description string) bool {
	p.declare(name, func() (apidoc.Schema, string) { return apidoc.Flag, description })
	p.choices("0", "1")
	undocumented := &params{query: p.query}
	is := undocumented.flag(name)
	p.wrong = append(p.wrong, undocumented.wrong...)
	return is
}

// maxFilter is the maximum length of a text filter, in characters.
const maxFilter = 255

// text returns the value of a text filter, which matches a part of the attribute with its name.
func (p *params) text(name string) string {
	p.declare(name, func() (apidoc.Schema, string) {
		return apidoc.Text(maxFilter), "Only records with this text in their " + name + ", ignoring case and diacritics."
	})
	return p.limited(name, maxFilter)
}

// textDescribed is like text, for a filter with a description of its own.
func (p *params) textDescribed(name, description string) string {
	p.declare(name, func() (apidoc.Schema, string) { return apidoc.Text(maxFilter), description })
	return p.limited(name, maxFilter)
}

func (p *params) limited(name string, limit int) string {
	raw := lastOf(p.query, name)
	if why := text.Illegal(raw); why != "" {
		p.reject(name, why)
		return ""
	}
	raw = strings.TrimSpace(raw)
	if utf8.RuneCountInString(raw) > limit {
		p.reject(name, "must have at most "+strconv.Itoa(limit)+" characters")
		return ""
	}
	return raw
}

func choice[T any](p *params, name string, texts []string, parse func(string) (T, bool)) domain.Optional[T] {
	p.declare(name, func() (apidoc.Schema, string) {
		return apidoc.OneOf(texts...), "Only records with this " + name + "."
	})
	p.choices(texts...)
	raw := lastOf(p.query, name)
	if raw == "" {
		return domain.Optional[T]{}
	}
	value, ok := parse(raw)
	if !ok {
		p.reject(name, "must be one of "+strings.Join(texts, ", "))
		return domain.Optional[T]{}
	}
	return domain.Some(value)
}

// list returns the value of fields, expand or sort; absent is not the same as empty.
func (p *params) list(name string) domain.Optional[string] {
	if _, ok := p.query[name]; !ok {
		return domain.Optional[string]{}
	}
	return domain.Some(p.limited(name, maxNames))
}

// maxNames is the maximum length of fields, expand and sort, in characters: more than
// all names of the widest record.
const maxNames = 4096

// page returns the requested page; the whole list if the resource has no pages.
func (p *params) page(r *readmodel.Resource) readmodel.Page {
	isRequested := lastOf(p.query, "page") != "" || lastOf(p.query, "per_page") != ""
	if r.PagedOnRequest && !isRequested {
		return readmodel.Page{}
	}
	page := readmodel.Page{Number: 1, Size: r.PerPage}
	if n, ok := p.number("page", 1, maxPage); ok {
		page.Number = n
	}
	if n, ok := p.number("per_page", 1, readmodel.MaxPerPage); ok {
		page.Size = int(n)
	}
	// The reader checks whether the cursor is valid.
	page.Cursor = p.limited("cursor", maxCursor)
	return page
}

// maxCursor is the maximum length of a cursor, in characters.
const maxCursor = 4096

// maxPage keeps the offset of the largest page within 64 bits.
const maxPage = (1<<63 - 1) / readmodel.MaxPerPage

func idParam[ID ~int64](p *params, name string) domain.Optional[ID] {
	p.declare(name, func() (apidoc.Schema, string) { return apidoc.ID, "Only records with this " + name + "." })
	refers[ID](p)
	raw := lastOf(p.query, name)
	if raw == "" {
		return domain.Optional[ID]{}
	}
	id, ok := recordID(raw)
	if !ok {
		p.reject(name, "must be a positive integer")
		return domain.Optional[ID]{}
	}
	return domain.Some(ID(id))
}
