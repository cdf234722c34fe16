// Package encode writes rows of read models as JSON and XML. Both encoders walk the same
// selection, so both formats show the same values.
package encode

import (
	"bytes"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Encoder writes rows in one format, under the root response.
type Encoder interface {
	// List writes all rows as items.
	List(rows *readmodel.Rows, selection *readmodel.Selection)
	// Record writes the first row.
	Record(rows *readmodel.Rows, selection *readmodel.Selection)
}

// JSON writes compact JSON, in which only what JSON requires is escaped.
func JSON(buf *bytes.Buffer) Encoder { return &jsonEncoder{buf: buf} }

// XML writes XML, in which true is 1, and false and null are an empty element.
func XML(buf *bytes.Buffer) Encoder { return &xmlEncoder{buf} }

// Has reports whether the record in the row has the attribute: some attributes belong to
// one type only.
func Has(rows *readmodel.Rows, row int, selection *readmodel.Selection, a *readmodel.Attribute) bool {
	if a.Only == "" {
		return true
	}
	kind, _ := rows.Cell(row, selection.Type)
	return string(kind) == a.Only
}

func textsOf(cell []byte) [][]byte {
	if len(cell) == 0 {
		return nil
	}
	return bytes.Split(cell, []byte(","))
}

// Display returns the text of a cell in a response: times to the second, quantities
// without trailing zeros.
func Display(kind readmodel.Kind, cell []byte) []byte {
	switch kind {
	case readmodel.Time:
		const seconds = len("2006-01-02 15:04:05")
		return cell[:min(len(cell), seconds)]
	case readmodel.Quantity:
		if bytes.IndexByte(cell, '.') < 0 {
			return cell
		}
		return bytes.TrimSuffix(bytes.TrimRight(cell, "0"), []byte("."))
	}
	return cell
}
