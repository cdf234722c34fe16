package billing

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/money"
)

// Form is a form of a document, in the words of the API.
type Form string

// Forms are all forms.
var Forms = []Form{PDF, HTML, FacturX, UBL, CII, Peppol, XRechnung, XRechnungCII}

// The forms.
const (
	PDF          Form = "pdf"
	HTML         Form = "html"
	FacturX      Form = "facturx" // PDF with CII in it
	UBL          Form = "ubl"
	CII          Form = "cii"
	Peppol       Form = "peppol"    // UBL
	XRechnung    Form = "xrechnung" // UBL
	XRechnungCII Form = "xrechnung-cii"
)

func (f Form) isElectronic() bool { return f != PDF && f != HTML }

// IsPrinted reports whether people read the form, which then has the pictures of the performer.
func (f Form) IsPrinted() bool { return f == PDF || f == HTML || f == FacturX }

// Specification returns the identifiers of the specification that an electronic invoice in the form follows (BT-24), and of its
// business process (BT-23), "" for none.
func (f Form) Specification() (id, process string) {
	const norm, process01 = "urn:cen.eu:en16931:2017", "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"
	switch f {
	case Peppol:
		return norm + "#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0", process01
	case XRechnung, XRechnungCII:
		return norm + "#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0", process01
	default:
		return norm, ""
	}
}

// CheckStanding returns a fault.Conflict if the document does not count, and the form is an electronic invoice.
func CheckStanding(d Document, f Form) error {
	switch {
	case !f.isElectronic() || d.Standing == Valid:
		return nil
	case d.Standing == Draft:
		return fault.New(fault.Conflict, "the invoice is a draft: there is an electronic invoice once it has its number")
	}
	return fault.New(fault.Conflict, "the invoice is cancelled: there is no electronic invoice of it")
}

// MaxLacks is the maximum number of lacks that a check returns.
const MaxLacks = 100

// Check returns what is missing or wrong for the form, at most MaxLacks. A document that lacks nothing
// is valid by the official rules for the form. Forms for people have none: they show what there is.
func Check(d Document, f Form) []fault.Lack {
	if !f.isElectronic() {
		return nil
	}
	c := checker{d: &d}
	c.norm()
	c.notes(f)
	c.payment(f)
	c.vat()
	c.party(&d.Seller, c.seller(), "seller")
	c.party(&d.Buyer, c.buyer(), "buyer")
	switch f {
	case Peppol:
		c.peppol()
	case XRechnung, XRechnungCII:
		c.endpoints()
		c.german(f, "BR-DE-%d")
	default:
	}
	return c.found
}

// Expect returns a fault.Invalid with what Check returns, or one that says that the document has too much text; nil if it can be
// written.
func Expect(d Document, f Form) error {
	if err := d.fits(); err != nil {
		return err
	}
	found := Check(d, f)
	if len(found) == 0 {
		return nil
	}
	others := ""
	if len(found) > 1 {
		others = fmt.Sprintf(" (and %d more)", len(found)-1)
	}
	err := fault.New(fault.Invalid, "the document is not complete for %s: %s%s", f, found[0].Message, others).Coded(fault.Incomplete)
	err.Lacks = found
	return err
}

// checker collects what is missing or wrong. Records are written as paths below the root of the API.
type checker struct {
	d     *Document
	found []fault.Lack
}

func (c *checker) seller() string    { return fmt.Sprintf("performer/%d/party", c.d.PerformerID) }
func (c *checker) performer() string { return fmt.Sprintf("performer/%d", c.d.PerformerID) }
func (c *checker) buyer() string     { return fmt.Sprintf("client/%d/party", c.d.ClientID) }
func (c *checker) invoice() string   { return fmt.Sprintf("invoice/%d", c.d.InvoiceID) }

// expect adds a lack unless the document is all right. A field is reported once.
func (c *checker) expect(fine bool, rule, term, record, field, message string) { //nolint:revive // flag-parameter: what is expected
	same := func(g fault.Lack) bool { return g.Record == record && g.Field == field }
	if !fine && len(c.found) < MaxLacks && !slices.ContainsFunc(c.found, same) {
		c.found = append(c.found, fault.Lack{Rule: rule, Term: term, Record: record, Field: field, Message: message})
	}
}

// norm checks what EN 16931 asks of every document.
func (c *checker) norm() {
	d := c.d
	c.expect(d.Currency != "", "BR-05", "BT-5", c.seller(), "currency", "The currency of the amounts is missing, such as EUR.")
	c.expect(d.TaxCurrency == "" || !d.Exchange.IsZero(), "BR-53", "BT-111", c.invoice(), "exchange_rate",
		"The currency is not the performer's: how much one unit of it is in the performer's is missing.")
	c.expect(d.Currency == "" || isCurrency(d.Currency),
		"BR-CL-04", "BT-5", c.seller(), "currency", "Electronic invoices do not know this currency.",
	)
	c.expect(len(d.Lines) > 0, "BR-16", "BG-25", c.invoice(), "items", "The invoice has no lines.")
	c.expect(d.Due.IsZero() || !d.Due.Before(d.Date.Truncate(24*time.Hour)),
		"KONTOR-DUE-DATE", "BT-9", c.invoice(), "due_date", "The due date is before the date of the invoice.",
	)
	c.expect(d.Kind == CreditNote || !d.isMisrounded(), // which has the amounts of its invoice
		"KONTOR-ROUNDING", "BT-114", c.seller(), "digits",
		"The rounding amount is more than a cent for each line: set digits to 2, which computes new invoices in cents.",
	)
	c.expect(!d.HasDeliveryAddress() || d.Trade.DeliveryCountry != "",
		"BR-57", "BT-80", c.invoice(), "terms.delivery_country", "The country of the delivery is missing, such as DE.",
	)
	c.expect(d.Trade.DeliveryCountry == "" || !strings.Contains(strangeCountries, " "+d.Trade.DeliveryCountry+" "),
		"BR-CL-14", "BT-80", c.invoice(), "terms.delivery_country", "Electronic invoices have no code for this country.",
	)
	for _, l := range d.Lines {
		if l.UnitCode == "" {
			c.expect(false,
				"BR-CL-23", "BT-130", fmt.Sprintf("invoice-items/%d", l.ID), "units",
				fmt.Sprintf("The unit %q is neither a common word for a unit nor a code of UN/ECE Recommendation 20 or 21, such as H87 for a "+
					"piece or XBX for a box.", l.Unit),
			)
		}
	}
}

// isMisrounded reports whether the amount due differs from the sum of the rounded lines and their VAT by more than a cent for each
// line, so that hardly anybody would understand it.
func (d *Document) isMisrounded() bool {
	rounding := d.Rounding.Number()
	if d.Rounding.IsNegative() {
		rounding = rounding.Negated()
	}
	cents, err := rounding.Times(money.NumberOf(100))
	return err != nil || cents.Compare(money.NumberOf(int64(len(d.Lines)))) > 0
}

// party checks the data of a party against the norm.
func (c *checker) party(p *Party, record, name string) {
	seller := name == "seller"
	c.expect(p.Country != "",
		pick(seller, "BR-09", "BR-11"), pick(seller, "BT-40", "BT-55"), record, "country", "The country of the "+name+" is missing, such as DE.",
	)
	c.expect(!strings.Contains(strangeCountries, " "+p.Country+" ") || p.Country == "",
		"BR-CL-14", pick(seller, "BT-40", "BT-55"), record, "country", "Electronic invoices have no code for this country.",
	)
	c.expect(p.VATID == "" || c.d.IsOutside() || !strings.Contains(strangeCountries, " "+p.VATID[:min(2, len(p.VATID))]+" "),
		"BR-CO-09", pick(seller, "BT-31", "BT-48"), record, "vat_id", "Electronic invoices do not know VAT ids that begin with these letters.",
	)
	c.expect(p.EndpointID == "" || p.EndpointScheme != "",
		pick(seller, "BR-62", "BR-63"), pick(seller, "BT-34-1", "BT-49-1"), record, "endpoint_scheme",
		"The scheme of the electronic address is missing, such as 0088 for a GLN or EM for an email address.",
	)
	c.expect(p.EndpointID == "" || p.EndpointScheme == "" || strings.Contains(endpointSchemes, " "+p.EndpointScheme+" "),
		"BR-CL-25", pick(seller, "BT-34-1", "BT-49-1"), record, "endpoint_scheme", "The scheme of the electronic address is not in the list EAS.",
	)
	c.expect(p.RegistrationID == "" || p.RegistrationScheme == "" || isRegister(p.RegistrationScheme),
		"BR-CL-11", pick(seller, "BT-30-1", "BT-47-1"), record, "registration_scheme",
		"The scheme of the registration is not in the list ISO 6523.",
	)
	c.expect(p.ID == "" || p.IDScheme == "" || isRegister(p.IDScheme),
		"BR-CL-10", pick(seller, "BT-29-1", "BT-46-1"), record, name+"_id_scheme", "The scheme of the identifier is not in the list ISO 6523.",
	)
}

func pick(first bool, a, b string) string { //nolint:revive // flag-parameter: of two names for the seller and the buyer
	if first {
		return a
	}
	return b
}

// belowHalf reports whether the absolute value is below 0.5, which the official rules round to no VAT.
func belowHalf(n money.Number) bool {
	one, twice := money.NumberOf(1), n.Plus(n)
	return twice.Compare(one) < 0 && twice.Negated().Compare(one) < 0
}

// vat checks that categories and rates fit, and that the parties have the identifiers that the categories ask for.
func (c *checker) vat() {
	d, s := c.d, &c.d.Seller
	c.expect(!d.IsOutside() || !d.IsMixed(),
		"BR-O-11", "BG-23", c.invoice(), "items", "Lines that are outside the scope of VAT cannot be on one document with others.",
	)
	hasVATID := s.VATID != "" && !d.IsOutside() // which an invoice outside the scope of VAT does not show
	for i := range d.VAT {
		c.rate(&d.VAT[i])
		c.expect(d.VAT[i].Category != Exempt || d.VAT[i].Reason != "" || d.VAT[i].ExemptionCode() != "",
			"BR-E-10", "BT-120", c.seller(), "vat_reason", "The reason why no VAT is charged is missing, such as the paragraph of the law.",
		)
	}
	c.expect(hasVATID || s.RegistrationID != "" || s.ID != "",
		"BR-CO-26", "BT-31", c.seller(), pick(d.IsOutside(), "registration_id", "vat_id"),
		"The buyer cannot identify the seller: its VAT id or its number in a register is missing; without VAT only the latter counts.",
	)
	for _, v := range d.VAT {
		if v.Category == IntraCommunity || v.Category == Export {
			c.abroad(v.Category)
		} else {
			c.domestic(v.Category)
		}
	}
}

// domestic checks who is known to the tax office.
func (c *checker) domestic(category Category) {
	s, d := &c.d.Seller, c.d
	c.expect(category == Outside || s.VATID != "" || s.TaxNumber != "",
		"BR-"+category.Code()+"-02", "BT-31", c.seller(), "vat_id", "The VAT id or the tax number of the seller is missing.",
	)
	c.expect(category != ReverseCharge || d.Buyer.VATID != "" || d.Buyer.RegistrationID != "",
		"BR-AE-02", "BT-48", c.buyer(), "vat_id", "The buyer owes the VAT, so its VAT id or its number in a register is needed.",
	)
}

// abroad checks what supplies to other countries need.
func (c *checker) abroad(category Category) {
	d := c.d
	code := "IC"
	if category == Export {
		code = "G"
	}
	c.expect(d.Seller.VATID != "", "BR-"+code+"-02", "BT-31", c.seller(), "vat_id", "The VAT id of the seller is missing.")
	if category == Export {
		return
	}
	c.expect(d.Buyer.VATID != "", "BR-IC-02", "BT-48", c.buyer(), "vat_id", "The VAT id of the buyer is missing.")
	c.expect(d.Trade.DeliveryDate != "" || d.Trade.PeriodFrom != "" || d.Trade.PeriodTo != "",
		"BR-IC-11", "BT-72", c.invoice(), "terms.delivery_date", "The date of the delivery, or the period of the invoice, is missing.",
	)
	c.expect(d.Trade.DeliveryCountry != "",
		"BR-IC-12", "BT-80", c.invoice(), "terms.delivery_country", "The country of the delivery is missing, such as FR.",
	)
}

// rate checks that a category and its rate fit. Those of lines do: it is the performer's that may contradict its category.
func (c *checker) rate(v *VAT) {
	charged := !v.Percent.IsZero()
	switch {
	case v.Category == Standard && !charged:
		c.expect(false,
			"BR-S-05", "BT-152", c.seller(), "vat_category",
			"The VAT category is standard, but the invoice has no VAT. It takes over a change of the performer's VAT when its lines change.",
		)
	case v.Category != Standard && charged:
		c.expect(false,
			"BR-"+v.Category.Code()+"-05", "BT-152", c.seller(), "vat_category", "The VAT category is "+string(v.Category)+
				", but the invoice has VAT of "+v.Percent.String()+" %. It takes over a change of the performer's VAT when its lines change.",
		)
	}
	record, field := c.rateField()
	c.expect(!charged || !belowHalf(v.Percent.Number()) || belowHalf(v.Amount.Number()),
		"BR-CO-17", "BT-117", record, field, "The official rules refuse VAT of less than 0.5 %.",
	)
}

// rateField returns where the rates of the document are set.
func (c *checker) rateField() (record, field string) {
	if c.d.IsMixed() {
		return c.invoice(), "items"
	}
	return c.performer(), "vat_percent"
}

var earlyPayment = regexp.MustCompile(`^#SKONTO#TAGE=[0-9]+#PROZENT=[0-9]+\.[0-9]{2}(#BASISBETRAG=-?[0-9]+\.[0-9]{2})?#$`)

// isEarlyPayment reports whether the lines that begin with # have the form of XRechnung for discounts for early payment.
func isEarlyPayment(terms string) bool {
	for line := range strings.Lines(terms) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") && !earlyPayment.MatchString(line) {
			return false
		}
	}
	return true
}

// endpoints checks that both parties have an electronic address.
func (c *checker) endpoints() {
	const missing = "The %s has no electronic address (Peppol participant or email)."
	c.expect(c.d.Seller.EndpointID != "", "PEPPOL-EN16931-R020", "BT-34", c.seller(), "endpoint_id", fmt.Sprintf(missing, "seller"))
	c.expect(c.d.Buyer.EndpointID != "", "PEPPOL-EN16931-R010", "BT-49", c.buyer(), "endpoint_id", fmt.Sprintf(missing, "buyer"))
}

// german checks the rules of XRechnung. Peppol has them under other names for invoices within Germany.
func (c *checker) german(f Form, rule string) {
	name := func(n int) string { return fmt.Sprintf(rule, n) }
	d, s, b := c.d, &c.d.Seller, &c.d.Buyer
	c.expect(d.PaymentCode() != "", name(1), "BG-16", c.seller(), "iban", "The account to pay to is missing: the IBAN of the seller.")
	c.germanPayment(f, name)
	c.expect(d.BuyerReference != "",
		name(15), "BT-10", c.buyer(), "buyer_reference",
		"The buyer reference is missing. Public buyers in Germany ask for their Leitweg-ID here.",
	)
	c.expect(s.City != "", name(3), "BT-37", c.seller(), "city", "The city of the seller is missing.")
	c.expect(s.Zip != "", name(4), "BT-38", c.seller(), "zip", "The postal code of the seller is missing.")
	c.expect(s.ContactName != "", name(5), "BT-41", c.seller(), "contact_name",
		"The person or department to ask about the invoice is missing.")
	c.expect(s.ContactPhone != "", name(6), "BT-42", c.seller(), "contact_phone", "The telephone number to ask about the invoice is missing.")
	c.expect(s.ContactEmail != "", name(7), "BT-43", c.seller(), "contact_email", "The email address to ask about the invoice is missing.")
	c.expect(b.City != "", name(8), "BT-52", c.buyer(), "city", "The city of the buyer is missing.")
	c.expect(b.Zip != "", name(9), "BT-53", c.buyer(), "zip", "The postal code of the buyer is missing.")
	c.expect(isEarlyPayment(d.Trade.PaymentTerms),
		name(18), "BT-20", c.invoice(), "terms.payment_terms",
		"A line of the payment terms that begins with # must be a discount such as #SKONTO#TAGE=14#PROZENT=2.00#.",
	)
	hasAddress := d.HasDeliveryAddress()
	c.expect(!hasAddress || d.Trade.DeliveryCity != "",
		name(10), "BT-77", c.invoice(), "terms.delivery_city", "The city of the delivery is missing.")
	c.expect(!hasAddress || d.Trade.DeliveryZip != "",
		name(11), "BT-78", c.invoice(), "terms.delivery_zip", "The postal code of the delivery is missing.")
}
