// Package cii writes billing documents as UN/CEFACT Cross Industry Invoice by the European norm EN 16931.
// It is built like package ubl.
package cii

import (
	"bufio"
	"encoding/xml"
	"io"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
)

// Write writes the document in the form, one of CII. The result is valid if billing.Check found nothing for it.
func Write(w io.Writer, d billing.Document, f billing.Form) error {
	buffered := bufio.NewWriter(w)
	if _, err := buffered.WriteString(xml.Header); err != nil {
		return err
	}
	if err := xml.NewEncoder(buffered).Encode(documentOf(&d, f)); err != nil {
		return err
	}
	return buffered.Flush()
}

func documentOf(d *billing.Document, f billing.Form) *document {
	const standard = "urn:un:unece:uncefact:data:standard:"
	x := &document{
		RSM: standard + "CrossIndustryInvoice:100", RAM: standard + "ReusableAggregateBusinessInformationEntity:100",
		UDT: standard + "UnqualifiedDataType:100", QDT: standard + "QualifiedDataType:100",
		Header: header{ID: d.Number, Type: d.Kind.Code(), Date: dateOf(d.Date)},
	}
	guideline, business := f.Specification()
	x.Guideline = guideline
	if business != "" {
		x.Process = &process{business}
	}
	for _, n := range d.Notes() {
		x.Header.Notes = append(x.Header.Notes, note{n.Text, n.SubjectCode})
	}
	x.Transaction = transaction{
		Lines: linesOf(d),
		Agreement: agreement{
			BuyerReference: d.BuyerReference, Seller: sellerOf(d), Buyer: partyOf(&d.Buyer, d.IsOutside()),
			SalesOrder: referenceTo(d.Trade.SalesOrder), Order: referenceTo(d.Trade.OrderReference), Contract: referenceTo(d.Trade.Contract),
			Project: projectOf(d),
		},
		Delivery: deliveryOf(d),
		Settlement: settlement{
			Creditor: d.CreditorID(), TaxCurrency: d.TaxCurrency, Currency: d.Currency, Payment: paymentOf(d), Taxes: taxesOf(d),
			Period: periodOf(d.Trade.PeriodFrom, d.Trade.PeriodTo), Allowances: allowancesOf(d),
			Totals: totalsOf(d), Credits: creditsOf(d),
		},
	}
	if payment := x.Transaction.Settlement.Payment; payment != nil {
		x.Transaction.Settlement.Reference = d.Remittance()
	}
	x.Transaction.Settlement.Terms = termsOf(d)
	return x
}

// termsOf returns the terms of payment; nil: there are none.
func termsOf(d *billing.Document) *terms {
	t := terms{Description: d.PaymentTerms()}
	if !d.Due.IsZero() {
		due := dateOf(d.Due)
		t.Due = &due
	}
	if d.HasDebit() {
		t.Mandate = d.Trade.Mandate
	}
	if t == (terms{}) {
		return nil
	}
	return &t
}

func dateOf(t time.Time) date { return date{t.Format("20060102"), "102"} }

// day returns a date of the trade terms; nil: there is none.
func day(d string) *date {
	if d == "" {
		return nil
	}
	return &date{strings.ReplaceAll(d, "-", ""), "102"}
}

func referenceTo(number string) *reference {
	if number == "" {
		return nil
	}
	return &reference{number}
}

func projectOf(d *billing.Document) *project {
	if d.Trade.Project == "" {
		return nil
	}
	return &project{d.Trade.Project, "Project reference"} // the element requires a name
}

// periodOf returns a period; nil: there is none.
func periodOf(from, to string) *period {
	if from == "" && to == "" {
		return nil
	}
	return &period{day(from), day(to)}
}

func deliveryOf(d *billing.Document) delivery {
	t := &d.Trade
	x := delivery{Date: day(t.DeliveryDate)}
	if d.HasDeliveryAddress() || t.DeliveryName != "" {
		x.To = &recipient{Name: t.DeliveryName}
	}
	if d.HasDeliveryAddress() {
		x.To.Address = &address{Zip: t.DeliveryZip, Street: t.DeliveryStreet, City: t.DeliveryCity, Country: t.DeliveryCountry}
	}
	return x
}

func sellerOf(d *billing.Document) party {
	p := partyOf(&d.Seller, d.IsOutside())
	if d.Seller.TaxNumber != "" {
		p.Taxes = append(p.Taxes, registration{identifier{d.Seller.TaxNumber, "FC"}})
	}
	return p
}

// partyOf returns a party, without its VAT id if the document is outside the scope of VAT, which the
// norm asks for.
func partyOf(p *billing.Party, isOutside bool) party { //nolint:revive // flag-parameter: a fact about the document
	x := party{
		Name: p.Name, Text: p.LegalText,
		Address: address{p.Zip, p.Street, p.Street2, p.City, p.Country, p.Region},
	}
	if p.IDScheme == "" {
		x.ID = p.ID
	} else {
		x.GlobalID = schemed(p.ID, p.IDScheme)
	}
	if p.RegistrationID != "" || p.TradingName != "" {
		x.Legal = &organization{schemed(p.RegistrationID, p.RegistrationScheme), p.TradingName}
	}
	if p.ContactName != "" || p.ContactPhone != "" || p.ContactEmail != "" {
		x.Contact = &contact{Name: p.ContactName}
		if p.ContactPhone != "" {
			x.Contact.Phone = &phone{p.ContactPhone}
		}
		if p.ContactEmail != "" {
			x.Contact.Email = &uri{identifier{Value: p.ContactEmail}}
		}
	}
	if p.EndpointID != "" {
		x.Endpoint = &uri{identifier{p.EndpointID, p.EndpointScheme}}
	}
	if p.VATID != "" && !isOutside {
		x.Taxes = []registration{{identifier{p.VATID, "VA"}}}
	}
	return x
}

func schemed(id, scheme string) *identifier {
	if id == "" {
		return nil
	}
	return &identifier{id, scheme}
}

func paymentOf(d *billing.Document) *payment {
	code := d.PaymentCode()
	if code == "" {
		return nil
	}
	p := &payment{Code: code, Text: d.Trade.PaymentMeansText}
	if d.HasCard() {
		p.Card = &card{d.Trade.CardNumber, d.Trade.CardHolder}
	}
	if d.HasDebit() && d.Trade.DebitedIBAN != "" {
		p.Debited = &account{IBAN: d.Trade.DebitedIBAN}
	}
	if d.Account.ID() != "" {
		p.Account = &account{d.Account.IBAN, d.Account.Holder, d.Account.Number}
	}
	if d.Account.ID() != "" && d.Account.BIC != "" {
		p.Bank = &bank{d.Account.BIC}
	}
	return p
}

func taxesOf(d *billing.Document) (all []tax) {
	for _, v := range d.VAT {
		t := tax{
			Amount: cents(v.Amount), Type: "VAT", Basis: cents(v.Taxable), Code: v.Category.Code(),
			ReasonCode: v.ExemptionCode(), Percent: v.Percent.String(),
		}
		if !v.Category.IsCharged() {
			t.Reason = v.Reason
		}
		all = append(all, t)
	}
	return all
}

// taxOf returns the tax of a line or a discount, which has no rate outside the scope of VAT.
func taxOf(r invoice.Rate) tax {
	t := tax{Type: "VAT", Code: r.Category.Code()}
	if r.Category != billing.Outside {
		t.Percent = r.Percent.String()
	}
	return t
}

func allowancesOf(d *billing.Document) (all []allowance) {
	for _, a := range d.Adjustments {
		t := taxOf(a.VAT)
		x := allowanceOf(a)
		x.Tax = &t
		all = append(all, x)
	}
	return all
}

func allowanceOf(a billing.Adjustment) allowance {
	x := allowance{IsCharge: a.IsCharge, Amount: cents(a.Amount), ReasonCode: a.ReasonCode(), Reason: a.ReasonText()}
	if !a.Percent.IsZero() {
		x.Percent, x.Base = a.Percent.String(), cents(a.Base)
	}
	return x
}

func totalsOf(d *billing.Document) totals {
	t := totals{
		Lines: cents(d.Total), Net: cents(d.Net), Tax: []amount{{cents(d.Tax), d.Currency}}, Gross: cents(d.Gross), Due: cents(d.AmountDue),
	}
	if d.TaxCurrency != "" {
		t.Tax = append(t.Tax, amount{cents(d.TaxInOwnCurrency()), d.TaxCurrency})
	}
	allowances, charges := d.AdjustmentTotals()
	if sum, ok := allowances.Get(); ok {
		t.Allowance = cents(sum)
	}
	if sum, ok := charges.Get(); ok {
		t.Charge = cents(sum)
	}
	if !d.Prepaid.IsZero() {
		t.Prepaid = cents(d.Prepaid)
	}
	if !d.Rounding.IsZero() {
		t.Rounding = cents(d.Rounding)
	}
	return t
}

func creditsOf(d *billing.Document) *credits {
	if d.Credits.Number == "" {
		return nil
	}
	c := &credits{Number: d.Credits.Number}
	if !d.Credits.Date.IsZero() {
		c.Date = &issued{dateOf(d.Credits.Date)}
	}
	return c
}

func linesOf(d *billing.Document) []line {
	lines := make([]line, len(d.Lines))
	for i := range d.Lines {
		l := &d.Lines[i]
		lines[i] = line{
			ID: i + 1, Name: l.Name, Price: l.Price.Number().String(), Count: quantity{l.Count.String(), l.UnitCode},
			Tax: taxOf(l.VAT), Total: cents(l.Total),
			GTIN: schemed(l.Item.GTIN, billing.GTINScheme), Number: l.Item.ItemNumber, BuyerNumber: l.Item.BuyerItemNumber,
			Description: l.Item.Description, Period: periodOf(l.Item.PeriodFrom, l.Item.PeriodTo),
		}
		if l.Item.Note != "" {
			lines[i].Note = &note{Text: l.Item.Note}
		}
		for _, a := range l.Adjustments {
			lines[i].Adjustments = append(lines[i].Adjustments, allowanceOf(a))
		}
		if !l.BaseCount.IsZero() {
			lines[i].BaseCount = &quantity{l.BaseCount.String(), l.UnitCode}
		}
	}
	return lines
}

func cents(a money.Amount) string { return a.Fixed(billing.Cents) }
