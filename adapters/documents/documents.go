// Package documents writes billing documents in all forms. Below it are the writers: ubl, cii and paper (PDF and HTML);
// archive encodes issued documents for the database.
package documents

import (
	"context"
	"io"
	"strings"

	"github.com/kontor-crm/kontor/adapters/documents/cii"
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
	case billing.CII:
		return cii.Write(w, d)
	case billing.Peppol:
		return ubl.Write(w, d, ubl.Peppol)
	case billing.XRechnung:
		return ubl.Write(w, d, ubl.XRechnung)
	default:
		return ubl.Write(w, d, ubl.EN16931)
	}
}

// ContentType returns the media type of the form.
func ContentType(f billing.Form) string {
	switch f {
	case billing.PDF:
		return "application/pdf"
	case billing.HTML:
		return "text/html; charset=utf-8"
	default:
		return "application/xml; charset=utf-8"
	}
}

// FileName returns a name for the file: the kind of the document and its number, in letters, digits and hyphens.
func FileName(d billing.Document, f billing.Form) string {
	name := "invoice-"
	if d.Kind == billing.CreditNote {
		name = "credit-note-"
	}
	number := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '.', r == '_':
			return r
		}
		return '-'
	}, d.Number)
	switch f {
	case billing.PDF, billing.HTML:
		return name + number + "." + string(f)
	default:
		return name + number + "-" + string(f) + ".xml"
	}
}
