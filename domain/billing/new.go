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
	Prepaid   money.Amount   // of an invoice, before it was issued
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
		Trade:          s.Invoice.Trade,
		BuyerReference: cmp.Or(s.Invoice.Trade.BuyerReference, s.Buyer.BuyerReference),
		Seller:         s.seller(),
		Buyer:          s.buyer(),
		Leader:         s.Performer.Leader,
		LeaderRank:     s.Performer.LeaderRank,
		Booker:         s.Performer.Booker,
		Pictures:       s.Pictures,
		BankDetails:    s.Performer.BankDetails,
		Credits:        s.Credits,
	}
	if own := s.Seller.Currency; s.Invoice.Currency != "" && own != "" && own != d.Currency {
		d.TaxCurrency, d.Exchange = own, s.Invoice.Exchange
	}
	payee, details := d.Seller, s.Seller
	if s.Credits.Number != "" {
		d.Kind, d.BankDetails = CreditNote, ""
		payee, details = d.Buyer, s.Buyer
	}
	if means := d.Trade.PaymentMeans; party.IsCard(means) || party.IsDebit(means) {
		d.BankDetails = "" // there is nothing to transfer
	} else {
		d.Account = accountOf(details, payee.Name)
	}
	lines, former := d.addLines(s)
	d.addVAT(s, lines, former)
	d.addTotals(s)
	return d
}

// accountOf returns the account in the data of a party of that name.
func accountOf(d party.State, name string) Account {
	a := Account{Holder: cmp.Or(d.AccountHolder, name), IBAN: d.IBAN, BIC: d.BIC}
	if a.IBAN == "" {
		a.Number = d.AccountNumber
	}
	if a.ID() == "" {
		return Account{}
	}
	return a
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

// currency returns the currency of the credited document, or else that of the invoice, or of the performer.
func (s Source) currency() string {
	if s.Credited != nil && s.Credited.Currency != "" {
		return s.Credited.Currency
	}
	return cmp.Or(s.Invoice.Currency, s.Seller.Currency)
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
	p.ID, p.IDScheme, p.LegalText = s.Seller.SellerID, s.Seller.SellerIDScheme, s.Seller.LegalText
	return p
}

func (s Source) buyer() Party {
	p := partyOf(s.Buyer, s.Client.Name)
	p.TradingName = "" // the name of the client's record is the company's own
	p.Address = cmp.Or(s.Client.CompanyAddress, s.Client.RealAddress)
	p.ID, p.IDScheme = s.Buyer.BuyerID, s.Buyer.BuyerIDScheme
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

// addLines adds the lines in cents. It returns their sums by rate, as the invoice has their signs, and those of former credit notes.
func (d *Document) addLines(s Source) (lines, former invoice.RateSums) {
	rates := s.creditedRates()
	for id, l := range s.Former.Lines {
		former = former.With(s.rate(rates, id, l.VAT), 1, l.Total.RoundTo(Cents))
	}
	credited := s.Former.Clone()
	d.Lines = make([]Line, len(s.Invoice.Lines))
	for i, l := range s.Invoice.Lines {
		total := part(credited.Lines[l.Credits].Total, l.Total)
		line := Line{
			ID: l.ID, Name: l.Name, Unit: l.Units, UnitCode: UnitCode(l.Units), Count: l.Count, Price: l.Price, BaseCount: l.BaseCount,
			Total: d.signed(total), VAT: s.rate(rates, l.Credits, l.VAT), Item: l.Item,
		}
		lines = lines.With(line.VAT, 1, total)
		credited.Add(l)
		if l.Price.IsNegative() {
			line.Count, line.Price = l.Count.Negated(), l.Price.Negated()
		}
		if d.Kind == CreditNote {
			line.Count = line.Count.Negated()
		}
		line.Adjustments = d.lineAdjustments(l, line)
		d.Lines[i] = line
		d.Total = d.Total.Plus(line.Total)
	}
	return lines, former
}

// creditedRates returns the rates that the lines of the credited document have; nil: there is none.
func (s Source) creditedRates() map[invoice.LineID]invoice.Rate {
	if s.Credited == nil {
		return nil
	}
	rates := make(map[invoice.LineID]invoice.Rate, len(s.Credited.Lines))
	for _, l := range s.Credited.Lines {
		rates[l.ID] = l.VAT
	}
	return rates
}

// rate returns the rate of a line on the document: that of the credited line, its own one, or that of the performer.
func (s Source) rate(credited map[invoice.LineID]invoice.Rate, id invoice.LineID, own invoice.Rate) invoice.Rate {
	if r, ok := credited[id]; ok {
		return r
	}
	t := s.Invoice.Terms
	switch {
	case !t.VATUse:
		return invoice.Rate{Category: category(s.Seller.VATCategory, t)}
	case own.Category != "":
		return own
	}
	return invoice.Rate{Category: category(s.Seller.VATCategory, t), Percent: t.VATPercent}
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

// addVAT adds the VAT breakdown. The VAT is computed from the rates and terms that the invoice stores; a category that
// contradicts them is found by Check.
func (d *Document) addVAT(s Source, lines, former invoice.RateSums) {
	cents := performer.Terms{VATUse: true, InCents: true}
	adjustments := s.adjustments(lines)
	was := Source{Invoice: s.Invoice, Seller: s.Seller}
	was.Invoice.Adjustments = s.Former.Adjustments
	rates := invoice.AmountsByRate(
		invoice.Sums{Lines: lines, Adjustments: adjustments}, invoice.Sums{Lines: former, Adjustments: was.adjustments(lines)},
		s.Invoice.Discount, cents)
	for _, a := range rates {
		if !s.Invoice.Discount.IsZero() {
			d.Adjustments = append(d.Adjustments, Adjustment{
				IsDiscount: true, Percent: s.Invoice.Discount, Base: d.signed(a.Lines), Amount: d.signed(a.Discount.Result), VAT: a.Rate,
			})
		}
		d.VAT = append(d.VAT, VAT{
			Rate: a.Rate, Reason: s.reason(a.Rate), ReasonCode: s.reasonCode(a.Rate), Taxable: d.signed(a.Total.Result),
			Amount: d.signed(a.VAT.Result),
		})
	}
	for _, a := range adjustments {
		d.Adjustments = append(d.Adjustments, d.adjustment(a, lines)...)
	}
	if len(d.VAT) == 0 {
		rate := s.rate(nil, 0, invoice.Rate{})
		d.VAT = []VAT{{Rate: rate, Reason: s.reason(rate), ReasonCode: s.reasonCode(rate)}}
	}
}

// reason returns why no VAT is charged at the rate, in words of the performer: its party has one reason, which is that of its own
// category and of exemptions.
func (s Source) reason(r invoice.Rate) string {
	if s.Credited != nil {
		for _, v := range s.Credited.VAT {
			if v.Rate == r {
				return v.Reason
			}
		}
		return ""
	}
	if r.Category == Exempt || r.Category == category(s.Seller.VATCategory, s.Invoice.Terms) {
		return s.Seller.VATReason
	}
	return ""
}

// reasonCode returns the code that the performer has for the reason: that of its own category, even if it does not fit, which Check
// finds, and of exemptions that it fits.
func (s Source) reasonCode(r invoice.Rate) string {
	if s.Credited != nil {
		for _, v := range s.Credited.VAT {
			if v.Rate == r {
				return v.ReasonCode
			}
		}
		return ""
	}
	code := s.Seller.VATReasonCode
	only := performer.ExemptionCategory(code)
	isOwn := r.Category == category(s.Seller.VATCategory, s.Invoice.Terms)
	if r.Category.IsCharged() || !isOwn && (r.Category != Exempt || only != "" && only != Exempt) {
		return ""
	}
	return code
}

// addTotals adds the totals to a document with lines and VAT.
func (d *Document) addTotals(s Source) {
	for _, v := range d.VAT {
		d.Net, d.Tax = d.Net.Plus(v.Taxable), d.Tax.Plus(v.Amount)
	}
	d.Gross = d.Net.Plus(d.Tax)
	d.AmountDue = d.signed(part(s.Former.Amounts(s.Invoice.Discount, s.Invoice.Terms).Pay.Result, s.Invoice.PayPrice))
	d.Rounding = d.AmountDue.Minus(d.Gross)
	if d.Kind == CreditNote {
		return
	}
	d.Prepaid, d.AmountDue = s.Prepaid, d.AmountDue.Minus(s.Prepaid)
	if p := s.Invoice.EarlyRate; !p.IsZero() && !d.AmountDue.IsNegative() && !d.AmountDue.IsZero() {
		off := p.Of(d.AmountDue).RoundTo(Cents)
		d.Early = EarlyPayment{Percent: p, Until: s.Invoice.EarlyUntil, Amount: d.AmountDue.Minus(off)}
	}
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
