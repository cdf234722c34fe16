package billing

import (
	"cmp"
	"time"

	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
)

// DefaultLanguage is the language of a document if neither party has one.
const DefaultLanguage = "en"

// Source is what a document is made of.
type Source struct {
	Invoice   invoice.State // with all lines
	Performer performer.State
	Client    client.State
	Seller    party.State    // of the performer; zero if it has none
	Buyer     party.State    // of the client
	Due       time.Time      // zero if the invoice has no due date
	Pictures  Pictures       // of the performer
	Credits   Reference      // the credited invoice, if this is a credit note
	Credited  *Document      // the stored document of that invoice; nil: it has none, because it was numbered by hand
	Former    invoice.Former // what the credit notes before this one have of that invoice
}

// New returns the document of an invoice, or of a credit note if the source names the invoice
// that it credits. It never fails: Check reports what is missing.
func New(s Source) Document {
	d := Document{
		Standing:       standing(s.Invoice),
		InvoiceID:      s.Invoice.ID,
		PerformerID:    s.Invoice.PerformerID,
		ClientID:       s.Invoice.ClientID,
		Number:         s.Invoice.Number,
		Date:           s.Invoice.Date,
		Due:            s.due(),
		Currency:       s.currency(),
		Language:       cmp.Or(s.Buyer.Language, s.Seller.Language, DefaultLanguage),
		Notice:         s.Invoice.Notice,
		BuyerReference: s.Buyer.BuyerReference,
		Seller:         s.seller(),
		Buyer:          s.buyer(),
		Leader:         s.Performer.Leader,
		LeaderRank:     s.Performer.LeaderRank,
		Booker:         s.Performer.Booker,
		Pictures:       s.Pictures,
		BankDetails:    s.Performer.BankDetails,
		Credits:        s.Credits,
	}
	payee, details := d.Seller, s.Seller
	if s.Credits.Number != "" {
		d.Kind, d.BankDetails = CreditNote, ""
		payee, details = d.Buyer, s.Buyer
	}
	if details.IBAN != "" {
		d.Account = Account{Holder: payee.Name, IBAN: details.IBAN, BIC: details.BIC}
	}
	d.addLines(s)
	d.addTotals(s)
	return d
}

func standing(s invoice.State) Standing {
	switch {
	case !s.IssuedOn.IsZero():
		return Valid
	case s.Status == invoice.Cancelled:
		return Cancelled
	case s.IsDraft():
		return Draft
	}
	return Valid
}

// currency returns the currency of the credited document, or else that of the performer.
func (s Source) currency() string {
	if s.Credited != nil && s.Credited.Currency != "" {
		return s.Credited.Currency
	}
	return s.Seller.Currency
}

func (s Source) due() time.Time {
	switch {
	case !s.Due.IsZero() || s.Credits.Number != "": // what is paid back is not due on a day
		return s.Due
	case s.Buyer.PaymentDays.IsSet():
		return s.Invoice.Date.AddDate(0, 0, int(s.Buyer.PaymentDays.Or(0)))
	case s.Seller.PaymentDays.IsSet():
		return s.Invoice.Date.AddDate(0, 0, int(s.Seller.PaymentDays.Or(0)))
	}
	return time.Time{}
}

func (s Source) seller() Party {
	p := partyOf(s.Seller, cmp.Or(s.Performer.CompanyName, s.Performer.Name))
	p.Address = cmp.Or(s.Performer.CompanyAddress, s.Performer.RealAddress)
	p.ContactPhone = cmp.Or(p.ContactPhone, s.Performer.Phone)
	p.ContactEmail = cmp.Or(p.ContactEmail, s.Performer.Email)
	return p
}

func (s Source) buyer() Party {
	p := partyOf(s.Buyer, s.Client.Name)
	p.TradingName = "" // the name of the client's record is the company's own
	p.Address = cmp.Or(s.Client.CompanyAddress, s.Client.RealAddress)
	return p
}

// partyOf returns the party with these data, of a record with that name.
func partyOf(d party.State, name string) Party {
	p := Party{
		Name: cmp.Or(d.LegalName, name), Street: d.Street, Street2: d.Street2, Zip: d.Zip, City: d.City, Region: d.Region, Country: d.Country,
		VATID: d.VATID, TaxNumber: d.TaxNumber, RegistrationID: d.RegistrationID, RegistrationScheme: d.RegistrationScheme,
		EndpointID: d.EndpointID, EndpointScheme: d.EndpointScheme,
		ContactName: d.ContactName, ContactPhone: d.ContactPhone, ContactEmail: d.ContactEmail,
	}
	if p.Name != name {
		p.TradingName = name
	}
	return p
}

// addLines adds the lines in cents, and their sum.
func (d *Document) addLines(s Source) {
	credited := s.Former.Clone()
	d.Lines = make([]Line, len(s.Invoice.Lines))
	for i, l := range s.Invoice.Lines {
		line := Line{
			ID: l.ID, Name: l.Name, Unit: l.Units, UnitCode: UnitCode(l.Units),
			Count: l.Count, Price: l.Price, Total: d.signed(part(credited.Lines[l.Credits].Total, l.Total)),
		}
		credited.Add(l)
		if l.Price.IsNegative() {
			line.Count, line.Price = l.Count.Negated(), l.Price.Negated()
		}
		if d.Kind == CreditNote {
			line.Count = line.Count.Negated()
		}
		d.Lines[i] = line
		d.Total = d.Total.Plus(line.Total)
	}
}

// part returns the amount in cents of what a credit note has beside the former ones, such that all parts have the sum that the whole
// has. Of an invoice there are no former ones.
func part(former, a money.Amount) money.Amount {
	return former.Plus(a).RoundTo(Cents).Minus(former.RoundTo(Cents))
}

// signed returns the invoice's amount with the sign that it has in the document.
func (d *Document) signed(a money.Amount) money.Amount {
	if d.Kind == CreditNote {
		return a.Negated()
	}
	return a
}

// addTotals adds the VAT and the totals to a document with lines. The VAT is computed from the
// terms that the invoice stores; a category that contradicts them is found by Check.
func (d *Document) addTotals(s Source) {
	t := s.Invoice.Terms
	d.VAT = VAT{Category: category(s.Seller.VATCategory, t), Reason: s.Seller.VATReason}
	if s.Credited != nil {
		d.VAT = VAT{Category: s.Credited.VAT.Category, Reason: s.Credited.VAT.Reason}
	}
	var former money.Amount
	for _, l := range s.Former.Lines {
		former = former.Plus(l.Total.RoundTo(Cents))
	}
	vat := t.VAT(former.Plus(d.signed(d.Total))).RoundTo(Cents).Minus(t.VAT(former).RoundTo(Cents))
	d.VAT.Taxable, d.VAT.Amount = d.Total, d.signed(vat)
	if t.VATUse {
		d.VAT.Percent = t.VATPercent
	}
	d.Gross = d.Total.Plus(d.VAT.Amount)
	d.AmountDue = d.signed(part(s.Former.TotalPrice().Plus(s.Former.VATPrice), s.Invoice.PayPrice))
	d.Rounding = d.AmountDue.Minus(d.Gross)
}

// category returns the category of the performer, or the one that its terms suggest.
func category(own string, t performer.Terms) Category {
	switch {
	case own != "":
		return Category(own)
	case !t.VATUse:
		return Exempt
	case t.VATPercent.IsZero():
		return Zero
	}
	return Standard
}
