package httpapi

import (
	"cmp"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/page"
)

// layout is how the page of a record is divided: the attributes that people look for, and lists beside it by the filter for it.
// Other attributes follow them; a resource without a layout shows all alike.
type layout struct {
	first    []string
	sections []besideRecord
}

type besideRecord struct{ title, path, filter string }

var layouts = map[string]layout{
	"invoice": {
		[]string{
			"performer", "company", "date", "due_date", "issued_on", "credits", "deal", "notice", "discount_percent", "total_price", "vat_price",
			"pay_price", "paid_price", "waived_price", "due_price",
		},
		[]besideRecord{{"Credit notes", "/rest/invoice", "credits"}},
	},
	"client": {
		[]string{"type", "email", "phone", "real_address", "company_address", "user", "description"},
		[]besideRecord{
			{"Contacts", "/rest/contact", "client_id"}, {"Deals", "/rest/deal", "client_id"}, {"Invoices", "/rest/invoice", "client_id"},
			{"Payments", "/rest/payment", "client_id"},
		},
	},
	"deal": {
		[]string{"client", "status", "type", "user", "created_at"},
		[]besideRecord{
			{"Offers", "/rest/offer", "deal_id"}, {"Contracts", "/rest/contract", "deal_id"}, {"Invoices", "/rest/invoice", "deal_id"},
			{"Contacts", "/rest/contact", "deal_id"},
		},
	},
	"payment": {[]string{"date", "performer_id", "client_id", "amount", "left", "method", "reference", "notice"}, nil},
}

// sectionTitles are those of the lists in a record.
var sectionTitles = map[string]string{
	"invoice.items": "Lines", "invoice.vat": "VAT by rate", "invoice.adjustments": "Allowances and charges",
	"payment.items": "What it settles",
}

// maxBeside is how many rows a list beside a record shows.
const maxBeside = 5

// recordPage is the page of a record.
func (c *call) recordPage(o apidoc.Operation, a *response, values page.Values) page.Record {
	fields := values.FieldsOf(a.rows)
	all := page.Value{Fields: fields}
	c.name(&all)
	label := page.Label(fields, "")
	if label == "" || len(fields) < 2 {
		label = strconv.FormatInt(c.id, 10)
	}
	kind := o.Table.Name
	r := page.Record{Frame: c.api.frame(c.http, apidoc.Capital(kind)+" "+label), Related: c.related(o.Tag)}
	parts, hasLayout := layouts[o.Tag]
	if !hasLayout || c.route.action != nil || c.route.path != "/rest/"+o.Tag+"/:id" {
		r.Fields = fields
		return r
	}
	for _, name := range parts.first {
		if i := slices.IndexFunc(fields, func(f page.Field) bool { return f.Name == name }); i >= 0 {
			r.Fields = append(r.Fields, fields[i])
		}
	}
	for _, f := range fields {
		switch {
		case f.Badge != "":
			if r.Badge = f.Value; f.Text == creditNote {
				r.Title = apidoc.Capital(creditNote) + " " + label
			}
		case f.Table != nil && len(f.Table.Rows) > 0:
			title := cmp.Or(sectionTitles[o.Tag+"."+f.Name], apidoc.Words(f.Name))
			r.Sections = append(r.Sections, page.Section{Title: title, Table: *f.Table})
		case !slices.Contains(parts.first, f.Name) && f.Table == nil:
			r.Rest = append(r.Rest, f)
		}
	}
	id := strconv.FormatInt(c.id, 10)
	if o.Tag == "client" {
		if owed, ok := c.section("What the client owes", "/rest/invoice", maxBeside, "client_id", id, "due", "1", "sort", "due_date"); ok {
			r.Sections = append(r.Sections, owed)
		}
	}
	if deal := values.Cell(a.rows, 0, "deal_id"); o.Tag == "invoice" && deal != "" {
		r.Related = append(r.Related, page.Link{Text: "History of the deal", URL: c.api.basePath() + "/rest/deal/" + deal + "/history"})
	}
	for _, s := range parts.sections {
		if section, ok := c.section(s.title, s.path, maxBeside, s.filter, id); ok {
			r.Sections = append(r.Sections, section)
		}
	}
	return r
}

// documents are the links to the documents of an invoice.
var documents = []page.Link{
	{Text: "Print view", URL: "html"}, {Text: "PDF", URL: "pdf"}, {Text: "PDF with electronic invoice", URL: "facturx"},
	{Text: "UBL", URL: "ubl"}, {Text: "CII", URL: "cii"}, {Text: "XRechnung", URL: "xrechnung"}, {Text: "Peppol", URL: "peppol"},
}

// related returns the links from the page of a record: to what is below it, to the lists that it filters, and
// from these back.
func (c *call) related(resource string) (links []page.Link) {
	id, own := strconv.FormatInt(c.id, 10), "/rest/"+resource+"/:id"
	add := func(text, path string) {
		links = append(links, page.Link{Text: text, URL: c.api.basePath() + strings.Replace(path, ":id", id, 1)})
	}
	if c.route.path != own {
		add(apidoc.Capital(resource)+" "+id, own)
		return links
	}
	for _, r := range c.api.home.routes {
		below, isBelow := strings.CutPrefix(r.path, own+"/")
		switch {
		case r.method != http.MethodGet, isBelow && strings.Contains(below, ":"):
		case isBelow && below == "document":
			for _, d := range documents {
				add(d.Text, r.path+"?as="+d.URL)
			}
		case isBelow:
			add(apidoc.Capital(strings.ReplaceAll(path.Base(below), "_", " ")), r.path)
		case r.verb == apidoc.List:
			o := r.describe()
			for _, p := range o.Filters {
				if p.Refers == resource && p.Name != "id" {
					add(listTitle(o.Table), r.path+"?"+p.Name+"="+id)
				}
			}
		}
	}
	return links
}
