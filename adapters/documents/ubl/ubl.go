// Package ubl writes billing documents in UBL 2.1, as Invoice and CreditNote, by the European norm
// EN 16931 or one of its profiles.
//
// Chose: structs for encoding/xml with the prefixes in their tags. Because: the elements have a fixed
// order, which a struct shows like the schema, and encoding/xml invents other prefixes for namespaces.
// Costs: the prefixes are declared at the root by hand.
package ubl

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"io"
	"time"

	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/invoice"
)

// Write writes the document in the form, one of UBL. The result is valid if billing.Check found nothing for it.
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
	const schemas = "urn:oasis:names:specification:ubl:schema:xsd:"
	x := &document{
		XMLName: xml.Name{Local: "Invoice"}, Namespace: schemas + "Invoice-2",
		CAC: schemas + "CommonAggregateComponents-2", CBC: schemas + "CommonBasicComponents-2",
		ID: d.Number, IssueDate: date(d.Date), Notes: d.NotesOfUBL(f), Currency: d.Currency, BuyerReference: d.BuyerReference,
		Seller: sellerOf(d), Buyer: buyerOf(d), Payment: paymentOf(d), Allowances: allowancesOf(d), Tax: []tax{taxOf(d)},
	}
	x.CustomizationID, x.ProfileID = f.Specification()
	x.addTrade(d)
	if d.TaxCurrency != "" {
		x.TaxCurrency = d.TaxCurrency
		x.Tax = append(x.Tax, tax{Amount: amount{d.TaxInOwnCurrency().Fixed(billing.Cents), d.TaxCurrency}})
	}
	x.Totals.fill(d)
	if d.Credits.Number != "" {
		x.Credits = &credits{d.Credits.Number, date(d.Credits.Date)}
	}
	if d.Kind == billing.CreditNote {
		x.XMLName.Local, x.Namespace = "CreditNote", schemas+"CreditNote-2"
		x.CreditNoteTypeCode = d.Kind.Code()
		x.CreditNoteLines = linesOf(d)
		return x
	}
	x.InvoiceTypeCode = d.Kind.Code()
	x.DueDate = date(d.Due)
	x.InvoiceLines = linesOf(d)
	return x
}

// date returns the date as XML Schema has it, or an empty text if there is none.
func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// projectType is the type of a reference to a project in a credit note, which has no element for it (UNTDID 1001).
const projectType = "50"

// addTrade adds what the document says of the order and its delivery.
func (x *document) addTrade(d *billing.Document) {
	t := &d.Trade
	x.Period = periodOf(t.PeriodFrom, t.PeriodTo)
	if t.OrderReference != "" || t.SalesOrder != "" {
		x.Order = &order{cmp.Or(t.OrderReference, "NA"), t.SalesOrder} // the element requires the former
	}
	if t.Contract != "" {
		x.Contract = &reference{ID: t.Contract}
	}
	if t.Project != "" && d.Kind == billing.CreditNote {
		x.CreditProject = &reference{t.Project, projectType}
	} else if t.Project != "" {
		x.Project = &reference{ID: t.Project}
	}
	if d.HasDeliveryAddress() || t.DeliveryDate != "" || t.DeliveryName != "" {
		x.Delivery = &delivery{Date: t.DeliveryDate, Name: named(t.DeliveryName)}
	}
	if d.HasDeliveryAddress() {
		x.Delivery.Address = &address{Street: t.DeliveryStreet, City: t.DeliveryCity, Zip: t.DeliveryZip, Country: t.DeliveryCountry}
	}
	if t.PaymentTerms != "" {
		x.Terms = &terms{d.PaymentTerms()}
	}
}

// periodOf returns a period; nil: there is none.
func periodOf(from, to string) *period {
	if from == "" && to == "" {
		return nil
	}
	return &period{from, to}
}

func sellerOf(d *billing.Document) party {
	p := partyOf(&d.Seller, d.IsOutside())
	if d.Seller.TaxNumber != "" {
		p.Taxes = append(p.Taxes, partyTax{d.Seller.TaxNumber, "FC"})
	}
	if id := d.CreditorID(); id != "" {
		p.IDs = append(p.IDs, partyID{identifier{id, "SEPA"}})
	}
	return p
}

func buyerOf(d *billing.Document) party { return partyOf(&d.Buyer, d.IsOutside()) }

// partyOf returns a party, without its VAT id if the document is outside the scope of VAT, which the
// norm asks for.
func partyOf(p *billing.Party, isOutside bool) party { //nolint:revive // flag-parameter: a fact about the document
	x := party{
		Endpoint: schemed(p.EndpointID, p.EndpointScheme),
		Name:     named(p.TradingName),
		Address: address{
			Street: p.Street, Street2: p.Street2, City: p.City, Zip: p.Zip, Region: p.Region, Country: p.Country,
		},
		Legal: legal{p.Name, schemed(p.RegistrationID, p.RegistrationScheme), p.LegalText},
	}
	if p.ID != "" {
		x.IDs = []partyID{{identifier{p.ID, p.IDScheme}}}
	}
	if p.VATID != "" && !isOutside {
		x.Taxes = []partyTax{{p.VATID, "VAT"}}
	}
	if p.ContactName != "" || p.ContactPhone != "" || p.ContactEmail != "" {
		x.Contact = &contact{p.ContactName, p.ContactPhone, p.ContactEmail}
	}
	return x
}

func paymentOf(d *billing.Document) *payment {
	code := d.PaymentCode()
	if code == "" {
		return nil
	}
	p := &payment{Code: means{code, d.Trade.PaymentMeansText}, Reference: d.Remittance()}
	if d.Kind == billing.CreditNote {
		p.DueDate = date(d.Due)
	}
	if d.HasCard() {
		p.Card = &card{d.Trade.CardNumber, "NA", d.Trade.CardHolder} // the element requires a network
	}
	if d.HasDebit() {
		p.Mandate = &mandate{ID: d.Trade.Mandate}
		if d.Trade.DebitedIBAN != "" {
			p.Mandate.Account = &account{ID: d.Trade.DebitedIBAN}
		}
	}
	if d.Account.ID() != "" {
		p.Account = &account{ID: d.Account.ID(), Name: d.Account.Holder}
		if d.Account.BIC != "" {
			p.Account.Branch = &branch{d.Account.BIC}
		}
	}
	return p
}

func taxOf(d *billing.Document) tax {
	t := tax{Amount: money(d, d.Tax)}
	for _, v := range d.VAT {
		c := category{Code: v.Category.Code(), Percent: v.Percent.String(), Scheme: "VAT"}
		if !v.Category.IsCharged() {
			c.ReasonCode, c.Reason = v.ExemptionCode(), v.Reason
		}
		t.Subtotals = append(t.Subtotals, subtotal{money(d, v.Taxable), money(d, v.Amount), c})
	}
	return t
}

// categoryOf returns the category of a line or a discount, which has no rate outside the scope of VAT.
func categoryOf(r invoice.Rate) category {
	c := category{Code: r.Category.Code(), Scheme: "VAT"}
	if r.Category != billing.Outside {
		c.Percent = r.Percent.String()
	}
	return c
}

func allowancesOf(d *billing.Document) (all []allowance) {
	for _, a := range d.Adjustments {
		c := categoryOf(a.VAT)
		x := allowanceOf(d, a)
		x.Category = &c
		all = append(all, x)
	}
	return all
}

func allowanceOf(d *billing.Document, a billing.Adjustment) allowance {
	x := allowance{IsCharge: a.IsCharge, ReasonCode: a.ReasonCode(), Reason: a.ReasonText(), Amount: money(d, a.Amount)}
	if !a.Percent.IsZero() {
		base := money(d, a.Base)
		x.Percent, x.Base = a.Percent.String(), &base
	}
	return x
}

func linesOf(d *billing.Document) []line {
	lines := make([]line, len(d.Lines))
	for i := range d.Lines {
		l := &d.Lines[i]
		count := &quantity{l.Count.String(), l.UnitCode}
		lines[i] = line{
			ID: i + 1, Note: l.Item.Note, Period: periodOf(l.Item.PeriodFrom, l.Item.PeriodTo), Total: money(d, l.Total),
			Price: price{Amount: amount{l.Price.Number().String(), d.Currency}},
			Item: item{
				l.Item.Description, l.Name, schemed(l.Item.BuyerItemNumber, ""), schemed(l.Item.ItemNumber, ""),
				schemed(l.Item.GTIN, billing.GTINScheme), categoryOf(l.VAT),
			},
		}
		for _, a := range l.Adjustments {
			lines[i].Adjustments = append(lines[i].Adjustments, allowanceOf(d, a))
		}
		if !l.BaseCount.IsZero() {
			lines[i].Price.Base = &quantity{l.BaseCount.String(), l.UnitCode}
		}
		if d.Kind == billing.CreditNote {
			lines[i].Credited = count
		} else {
			lines[i].Invoiced = count
		}
	}
	return lines
}
