// Package documents writes billing documents in all forms. Below it are the writers: ubl, cii, paper (PDF and HTML) and
// facturx (a PDF with the invoice in it); archive encodes issued documents for the database.
package documents

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode"

	"github.com/kontor-crm/kontor/adapters/documents/cii"
	"github.com/kontor-crm/kontor/adapters/documents/facturx"
	"github.com/kontor-crm/kontor/adapters/documents/paper"
	"github.com/kontor-crm/kontor/adapters/documents/ubl"
	"github.com/kontor-crm/kontor/domain/billing"
)

// Write writes the document in the form. A PDF whose ctx ends is not written to its end; the error is then that of ctx.
func Write(ctx context.Context, w io.Writer, d billing.Document, f billing.Form, p paper.Pictures) error {
	switch f {
	case billing.PDF:
		return paper.WritePDF(ctx, w, d, p)
	case billing.HTML:
		return paper.WriteHTML(w, d, p)
	case billing.FacturX:
		return writeFacturX(ctx, w, d, p)
	case billing.CII, billing.XRechnungCII:
		return cii.Write(w, withTerms(d, f), f)
	default:
		return ubl.Write(w, withTerms(d, f), f)
	}
}

// withTerms returns the document with the discount for early payment among its payment terms, as the form has it.
func withTerms(d billing.Document, f billing.Form) billing.Document {
	d.Trade.PaymentTerms = d.PaymentTermsIn(f, paper.EarlyPayment(d))
	return d
}

// writeFacturX writes what the forms PDF and CII are, one in the other.
func writeFacturX(ctx context.Context, w io.Writer, d billing.Document, p paper.Pictures) error {
	var pdf, invoice bytes.Buffer
	if err := errors.Join(paper.WritePDF(ctx, &pdf, d, p), cii.Write(&invoice, withTerms(d, billing.CII), billing.CII)); err != nil {
		return err
	}
	hybrid, err := facturx.Embed(pdf.Bytes(), invoice.Bytes(), facturx.Metadata{
		Title: paper.Title(d), Author: d.Seller.Name, Creator: paper.Creator, Date: d.Date,
	})
	if err == nil {
		_, err = w.Write(hybrid)
	}
	return err
}

// ContentType returns the media type of the form.
func ContentType(f billing.Form) string {
	switch f {
	case billing.PDF, billing.FacturX:
		return "application/pdf"
	case billing.HTML:
		return "text/html; charset=utf-8"
	default:
		return "application/xml; charset=utf-8"
	}
}

// FileName returns a name for the file: the kind of the document and its number, in letters of all alphabets, digits and hyphens.
func FileName(d billing.Document, f billing.Form) string {
	name := "invoice-"
	if d.Kind == billing.CreditNote {
		name = "credit-note-"
	}
	number := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '.', r == '_':
			return r
		}
		return '-'
	}, d.Number)
	switch f {
	case billing.PDF, billing.HTML:
		return name + number + "." + string(f)
	case billing.FacturX:
		return name + number + "-" + string(f) + ".pdf"
	default:
		return name + number + "-" + string(f) + ".xml"
	}
}
