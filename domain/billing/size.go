package billing

import "github.com/kontor-crm/kontor/domain/fault"

// MaxTextSize is the largest Document.TextSize of a document that can be written: writing takes memory and time for all of it.
const MaxTextSize = 2 << 20

// escapedSize is the most that a character of markup takes in HTML and XML, as in &#34;.
const escapedSize = 5

// TextSize returns the bytes of the long texts of a document as HTML and XML have them, which print the characters of markup as
// references.
func (d Document) TextSize() int {
	size := 0
	for _, text := range []string{d.Notice, d.Trade.PaymentTerms, d.BankDetails, d.Seller.LegalText, d.Seller.Address, d.Buyer.Address} {
		size += sizeOf(text)
	}
	for _, n := range d.Trade.Notes.List() {
		size += sizeOf(n.Text)
	}
	for _, l := range d.Lines {
		size += sizeOf(l.Name) + sizeOf(l.Unit) + sizeOf(l.Item.Description) + sizeOf(l.Item.Note)
		for _, a := range l.Adjustments {
			size += sizeOf(a.Reason)
		}
	}
	return size
}

func sizeOf(text string) int {
	size := len(text)
	for i := range len(text) {
		switch text[i] {
		case '"', '\'', '&', '<', '>', '+', '`', '\r', '\n', '\t':
			size += escapedSize - 1
		}
	}
	return size
}

// fits returns a fault.Invalid if the texts of the document are too large to be written.
func (d Document) fits() error {
	if size := d.TextSize(); size > MaxTextSize {
		return fault.New(fault.Invalid, "the texts of the document have %d bytes as HTML or XML, where characters such as quotation marks take "+
			"%d: %d are the maximum; shorten the names of its lines", size, escapedSize, MaxTextSize).Coded(fault.TooLong)
	}
	return nil
}
