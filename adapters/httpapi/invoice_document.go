package httpapi

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	writers "github.com/kontor-crm/kontor/adapters/documents"
	"github.com/kontor-crm/kontor/adapters/documents/paper"
	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// InvoiceDocuments returns the routes of the documents of invoices and of their checks.
func InvoiceDocuments(read *query.Documents) Resource {
	r := endpoint[readmodel.NoFilter]{
		path: "invoice", table: readmodel.DocumentChecks, format: jsonFormat, record: "DocumentCheck", docs: &documentDocs,
	}
	printed := r
	printed.table, printed.record = &readmodel.Resource{Name: "document"}, "Document"
	printed.media = []string{"application/pdf", "text/html", "application/xml"}
	r.parameters = []apidoc.Parameter{{Name: "as", Schema: apidoc.OneOf(formNames()...), Description: "The form of the document."}}
	printed.parameters = []apidoc.Parameter{{
		Name: "as", Schema: apidoc.OneOf(formNames()...),
		Description: "The form of the document. Without it, `Accept` chooses: application/pdf, text/html, " +
			"or application/xml for ubl; else it is pdf.",
	}}
	download := *downloadOf(printed.record, printed.table.Name)
	download.Problems = []int{http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity}
	download.Does += "\n\n" +
		"`pdf` and `html` are for people, `ubl` and `cii` electronic invoices by the European norm EN 16931, `facturx` is `pdf` with " +
		"`cii` in it (Factur-X, ZUGFeRD), `peppol` UBL by Peppol BIS Billing, `xrechnung` and `xrechnung-cii` are UBL and CII by " +
		"XRechnung. A document that lacks something for its form " +
		"is a 422, whose `items` are those of the check. There are no electronic invoices of drafts, nor of cancelled invoices that were " +
		"not issued: 409."
	return Resource{
		printed.action(http.MethodGet, "/:id/document", apidoc.Read, &download, func(c *call) (*response, error) {
			return printDocument(c, read)
		}),
		r.route(http.MethodGet, "/:id/document/check", apidoc.Read, func(c *call) (*response, error) { return r.checkDocument(c, read) }),
	}
}

func formNames() (names []string) {
	for _, f := range billing.Forms {
		names = append(names, string(f))
	}
	return names
}

// namedForm returns the form that the parameter as names; none without it. The others are the values that it may have beside
// forms.
func namedForm(c *call, p *params, others ...string) billing.Form {
	name := lastOf(c.query.Values, "as")
	if name != "" && !slices.Contains(formNames(), name) {
		p.reject("as", "must be one of "+strings.Join(append(formNames(), others...), ", "))
	}
	return billing.Form(name)
}

// requestedForm returns the form that the request for a document asks for.
func requestedForm(c *call, p *params) billing.Form {
	if form := namedForm(c, p); form != "" {
		return form
	}
	best, quality := billing.PDF, 0.0
	for _, r := range parseAccept(c.http.Header.Values("Accept")) {
		for _, f := range []billing.Form{billing.PDF, billing.HTML, billing.UBL} {
			if media, _, _ := mime.ParseMediaType(writers.ContentType(f)); r.name == media && r.quality > quality {
				best, quality = f, r.quality
			}
		}
	}
	return best
}

// printDocument responds with the document as a file.
func printDocument(c *call, read *query.Documents) (*response, error) {
	p := c.params()
	form := requestedForm(c, p)
	if err := p.err(); err != nil {
		return nil, err
	}
	leave, err := c.limits.documents.Enter(c)
	if err != nil {
		return nil, err
	}
	defer leave()
	d, pictures, err := read.ReadPrinted(c, invoice.ID(c.id), form)
	if err != nil {
		return nil, err
	}
	if err := billing.CheckStanding(d, form); err != nil {
		return nil, err
	}
	if err := billing.Expect(d, form); err != nil {
		return nil, err
	}
	release, err := c.limits.documents.Weigh(c, documentWeight(d))
	if err != nil {
		return nil, err
	}
	defer release()
	var file bytes.Buffer
	if err := writers.Write(c, &file, d, form, paper.Pictures(pictures)); err != nil {
		return nil, err
	}
	policy, link := "", ""
	switch {
	case form == billing.HTML:
		policy = paper.ContentSecurityPolicy
	case form == billing.PDF && d.Standing == billing.Valid && billing.Check(d, billing.FacturX) == nil:
		link = `<?as=facturx>; rel="alternate"; type="application/pdf"`
	}
	sum := sha256.Sum256(file.Bytes())
	return &response{sent: &encodedResponse{
		Status: http.StatusOK, ContentType: writers.ContentType(form), ETag: `"0-` + hex.EncodeToString(sum[:8]) + `"`,
		Disposition: inline(writers.FileName(d, form)), Link: link, Policy: policy, Body: file.Bytes(),
	}}, c.hold(file.Len())
}

// inline returns the header of a file that a browser shows. Programs that know no other letters than those of ASCII get the name
// with hyphens in place of them (RFC 6266).
func inline(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return '-'
		}
		return r
	}, name)
	header := fmt.Sprintf("inline; filename=%q", plain)
	if plain != name {
		header += "; filename*=UTF-8''" + url.PathEscape(name)
	}
	return header
}

// documentWeight returns the bytes of text of a document for the limit of heavy work.
func documentWeight(d billing.Document) int {
	const line = 64 // bytes of numbers and words around the name, about
	return d.TextSize() + line*len(d.Lines)
}

// checkDocument responds with what the document lacks.
func (r endpoint[F]) checkDocument(c *call, read *query.Documents) (*response, error) {
	p := c.params()
	form := cmp.Or(namedForm(c, p), billing.UBL)
	selection, err := r.selection(c, p)
	if err != nil {
		return nil, err
	}
	d, err := read.Read(c, invoice.ID(c.id))
	if err != nil {
		return nil, err
	}
	cells := map[string][]byte{"version": []byte("0"), "id": strconv.AppendInt(nil, c.id, 10), "as": []byte(form)}
	rows := readmodel.NewRows(len(selection.Paths))
	rows.Total = 1
	for i, path := range selection.Paths {
		if inner := selection.Lists[i]; inner != nil {
			rows.AppendList(rowsOfLacks(billing.Check(d, form), inner))
			continue
		}
		rows.Append(cells[path])
	}
	return &response{rows: rows, selection: selection}, nil
}

func rowsOfLacks(found []fault.Lack, s *readmodel.Selection) *readmodel.Rows {
	rows := readmodel.NewRows(len(s.Paths))
	for _, f := range found {
		cells := map[string]string{"rule": f.Rule, "term": f.Term, "record": "/rest/" + f.Record, "field": f.Field, "message": f.Message}
		for _, path := range s.Paths {
			if cells[path] == "" {
				rows.Append(nil)
				continue
			}
			rows.Append([]byte(cells[path]))
		}
	}
	return rows
}

var documentDocs = apidoc.Docs{
	Operations: map[apidoc.Verb]string{
		apidoc.Read: "The check finds what the document of an invoice lacks for a form, at most 100 things. Without `as`, the form is ubl.",
	},
	Attributes: apidoc.Attributes{
		"id":    "The invoice.",
		"as":    "The form of the document.",
		"items": "What is missing; empty if the document can be written.",
	},
	Embedded: map[string]apidoc.Attributes{
		"Finding": {
			"rule":    "The rule that the document would break, of the norm or its profile; `KONTOR-…` is none of theirs.",
			"term":    "What is missing, in the terms of the norm.",
			"record":  "The path of the record to change.",
			"field":   "The attribute of that record.",
			"message": "What is missing, in plain words.",
		},
	},
}
