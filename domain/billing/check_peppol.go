package billing

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/kontor-crm/kontor/domain/performer"
)

// peppol checks the rules of Peppol, and those of the seller's country.
func (c *checker) peppol() {
	c.expect(c.d.BuyerReference != "" || c.d.Trade.OrderReference != "" || c.d.Trade.SalesOrder != "",
		"PEPPOL-EN16931-R003", "BT-10", c.buyer(), "buyer_reference",
		"The buyer reference is missing, or the order_reference in the terms of the invoice; the buyer assigns the invoice by it.",
	)
	c.endpoints()
	c.identifiers(&c.d.Seller, c.seller(), "seller_id")
	c.identifiers(&c.d.Buyer, c.buyer(), "buyer_id")
	c.exemptions()
	c.periods()
	c.peppolPayment()
	s, b := &c.d.Seller, &c.d.Buyer
	switch s.Country {
	case "DE":
		if b.Country == "DE" {
			c.german(Peppol, "DE-R-%03d")
		}
	case "DK":
		c.register(s, c.seller(), "DK-R-002", "0184")
		c.expect(b.Country != "DK" || c.d.Kind != CreditNote || !c.d.AmountDue.IsNegative(),
			"DK-R-016", "BT-115", c.invoice(), "items", "A credit note between Danish companies cannot have a negative amount due.",
		)
		if b.Country == "DK" {
			c.danish()
		}
	case "IS":
		c.register(s, c.seller(), "IS-R-002", "0196")
		c.postal(s, c.seller(), "IS-R-003", "street zip")
		if b.Country == "IS" {
			c.register(b, c.buyer(), "IS-R-004", "0196")
			c.postal(b, c.buyer(), "IS-R-005", "street zip")
		}
	case "NL":
		c.dutch()
	case "SE":
		c.swedish()
	}
	switch c.vatCountry(s) {
	case "IT":
		c.expect(s.TaxNumber == "" || matches(`^[A-Z0-9]{11,16}$`, s.TaxNumber),
			"IT-R-001", "BT-32", c.seller(), "tax_number", "The tax number of an Italian seller must have 11 to 16 capital letters and digits.",
		)
		c.postal(s, c.seller(), "IT-R-002", "street")
		c.postal(s, c.seller(), "IT-R-003", "city")
		c.postal(s, c.seller(), "IT-R-004", "zip")
	case "NO":
		number, isVATID := strings.CutPrefix(s.VATID, "NO")
		number, isComplete := strings.CutSuffix(number, "MVA")
		c.expect(!isVATID || c.d.IsOutside() || isComplete && norwegianNumber(number),
			"NO-R-001", "BT-31", c.seller(), "vat_id",
			"A Norwegian VAT id must be NO, the nine digits of the organization number, and MVA, such as NO974760673MVA.",
		)
	case "GR", "EL":
		c.expect(false,
			"GR-R-004-1", "", c.seller(), "country",
			"Invoices of Greek sellers need a number of the tax authority (MARK), which Kontor does not have.",
		)
	}
}

// exemptionRules are the rules about codes of the list VATEX that are for one category only.
var exemptionRules = map[string]string{
	"VATEX-EU-G": "P0104", "VATEX-EU-O": "P0105", "VATEX-EU-IC": "P0106", "VATEX-EU-AE": "P0107", "VATEX-EU-D": "P0108",
	"VATEX-EU-F": "P0109", "VATEX-EU-I": "P0110", "VATEX-EU-J": "P0111",
}

// exemptions checks that the codes of reasons fit the categories.
func (c *checker) exemptions() {
	for _, v := range c.d.VAT {
		code := v.ExemptionCode()
		only := performer.ExemptionCategory(code)
		c.expect(only == "" || only == v.Category,
			"PEPPOL-EN16931-"+exemptionRules[code], "BT-121", c.seller(), "vat_reason_code",
			"The code "+code+" is for the VAT category "+string(only)+" alone, not for "+string(v.Category)+".",
		)
	}
}

// periods checks that those of the lines are within that of the document.
func (c *checker) periods() {
	from, to := c.d.Trade.PeriodFrom, c.d.Trade.PeriodTo
	for _, l := range c.d.Lines {
		record := fmt.Sprintf("invoice-items/%d", l.ID)
		c.expect(from == "" || l.Item.PeriodFrom == "" || from <= l.Item.PeriodFrom,
			"PEPPOL-EN16931-R110", "BT-134", record, "period_from", "The period of the line begins before that of the invoice.",
		)
		c.expect(to == "" || l.Item.PeriodTo == "" || l.Item.PeriodTo <= to,
			"PEPPOL-EN16931-R111", "BT-135", record, "period_to", "The period of the line ends after that of the invoice.",
		)
	}
}

// vatCountry returns the country of a party as some rules of Peppol know it: the first letters of its VAT id, if the document shows
// that, or else the country of its address.
func (c *checker) vatCountry(p *Party) string {
	if p.VATID != "" && !c.d.IsOutside() {
		return p.VATID[:min(2, len(p.VATID))]
	}
	return p.Country
}

// identifiers checks the numbers of a party in schemes that have a check digit. id is the name of the one that the other party knows
// it by.
func (c *checker) identifiers(p *Party, record, id string) {
	for _, id := range []struct{ scheme, value, term, field string }{
		{p.EndpointScheme, p.EndpointID, "the electronic address", "endpoint_id"},
		{p.RegistrationScheme, p.RegistrationID, "the registration", "registration_id"},
		{p.IDScheme, p.ID, "the identifier", id},
	} {
		known, ok := peppolSchemes[id.scheme]
		c.expect(!ok || id.value == "" || known.fits(id.value),
			known.rule, "", record, id.field, id.value+" is not a valid "+known.name+", which the scheme of "+id.term+" requires.",
		)
	}
	c.expect(p.EndpointID == "" || p.EndpointScheme == "" || !strings.Contains(notInPeppol, " "+p.EndpointScheme+" "),
		"PEPPOL-EN16931-CL008", "", record, "endpoint_scheme", "The Peppol network has no electronic addresses of this scheme.",
	)
}

// danish checks what Danish companies ask of each other.
func (c *checker) danish() {
	const message = "Danish companies need the scheme of an identifier, such as 0184 for a CVR number."
	c.expect(c.d.Seller.ID == "" || c.d.Seller.IDScheme != "", "DK-R-013", "BT-29-1", c.seller(), "seller_id_scheme", message)
	c.expect(c.d.Buyer.ID == "" || c.d.Buyer.IDScheme != "", "DK-R-013", "BT-46-1", c.buyer(), "buyer_id_scheme", message)
}

func (c *checker) register(p *Party, record, rule, scheme string) {
	message := "The number in the national register is missing, with the scheme " + scheme + "."
	c.expect(p.RegistrationID != "", rule, "", record, "registration_id", message)
	c.expect(p.RegistrationScheme == scheme, rule, "", record, "registration_scheme", message)
}

// postal checks that the address has these parts.
func (c *checker) postal(p *Party, record, rule, parts string) {
	values := map[string]string{"street": p.Street, "zip": p.Zip, "city": p.City}
	for part := range strings.FieldsSeq(parts) {
		c.expect(values[part] != "", rule, "", record, part, "The address must have the part "+part+".")
	}
}

func (c *checker) dutch() {
	s, b := &c.d.Seller, &c.d.Buyer
	c.postal(s, c.seller(), "NL-R-002", "street city zip")
	c.dutchRegister(s, c.seller(), "NL-R-003")
	c.expect(c.d.PaymentCode() != "" || c.d.AmountDue.IsNegative() || c.d.AmountDue.IsZero(),
		"NL-R-007", "BG-16", c.seller(), "iban", "The account to pay to is missing: the IBAN of the seller.",
	)
	if b.Country == "NL" {
		c.postal(b, c.buyer(), "NL-R-004", "street city zip")
		c.dutchRegister(b, c.buyer(), "NL-R-005")
		c.means(" 30 48 49 57 58 59 ", "NL-R-008", c.buyer(), "iban",
			"Between Dutch companies, the means of payment is 30, 48, 49, 57, 58 or 59; the account to credit may be missing.")
	}
}

func (c *checker) dutchRegister(p *Party, record, rule string) {
	c.expect(p.RegistrationID == "" || p.RegistrationScheme == "0106" || p.RegistrationScheme == "0190",
		rule, "", record, "registration_scheme", "A Dutch registration must be a number of the KVK (0106) or an OIN (0190).",
	)
}

func (c *checker) swedish() {
	s := &c.d.Seller
	c.expect(s.RegistrationID == "" || swedishNumber(s.RegistrationID),
		"SE-R-013", "BT-30", c.seller(), "registration_id",
		"A Swedish organization number must have 10 digits, the last of which is a check digit.",
	)
	c.expect(s.RegistrationID == "" || s.TaxNumber == "" || strings.EqualFold(s.TaxNumber, "Godkänd för F-skatt"),
		"SE-R-005", "BT-32", c.seller(), "tax_number", `The tax number of a Swedish seller must be "Godkänd för F-skatt".`,
	)
	rates := map[string]bool{"6.00": true, "12.00": true, "25.00": true}
	record, field := c.rateField()
	for _, v := range c.d.VAT {
		c.expect(v.Category != Standard || !strings.HasPrefix(s.VATID, "SE") || rates[v.Percent.String()],
			"SE-R-006", "BT-152", record, field, "A Swedish seller charges VAT of 6, 12 or 25 %.",
		)
	}
}

// scheme is a scheme of identifiers that Peppol checks.
type scheme struct {
	rule, name string
	fits       func(id string) bool
}

var peppolSchemes = map[string]scheme{
	"0088": {"PEPPOL-COMMON-R040", "GLN", func(id string) bool { return matches(`^\d+$`, id) && weighted(id, 1, 3)%10 == 0 }},
	"0192": {"PEPPOL-COMMON-R041", "Norwegian organization number", norwegianNumber},
	"0184": {"PEPPOL-COMMON-R042", "Danish CVR number", func(id string) bool { return matches(`^(DK)?\d{8}$`, id) }},
	"0208": {"PEPPOL-COMMON-R043", "Belgian enterprise number", func(id string) bool {
		return matches(`^\d{10}$`, id) && number(id[8:]) == 97-number(id[:8])%97
	}},
	"0007": {"PEPPOL-COMMON-R049", "Swedish organization number", swedishNumber},
	"0151": {"PEPPOL-COMMON-R050", "Australian business number", func(id string) bool {
		return matches(`^[1-9]\d{10}$`, id) && (weighted(id, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1, 10)-10)%89 == 0
	}},
}

func norwegianNumber(id string) bool {
	return matches(`^\d{9}$`, id) && id != "000000000" && weighted(id, 1, 2, 3, 4, 5, 6, 7, 2, 3)%11 == 0
}

func matches(pattern, s string) bool { return regexp.MustCompile(pattern).MatchString(s) }

// weighted returns the sum of the digits from the right, times the weights in turn.
func weighted(digits string, weights ...int) (sum int) {
	for i := range digits {
		sum += int(digits[len(digits)-1-i]-'0') * weights[i%len(weights)]
	}
	return sum
}

func number(digits string) (n int) {
	for _, d := range digits {
		n = 10*n + int(d-'0')
	}
	return n
}

// swedishNumber checks ten digits by the algorithm of Luhn.
func swedishNumber(id string) bool {
	if !matches(`^\d{10}$`, id) {
		return false
	}
	sum := 0
	for i := range len(id) - 1 {
		d := int(id[i]-'0') * (2 - i%2)
		sum += d/10 + d%10
	}
	return int(id[len(id)-1]-'0') == (10-sum%10)%10
}
