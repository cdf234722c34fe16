package billing

import (
	"strings"
	"unicode/utf8"

	"github.com/kontor-crm/kontor/domain/party"
)

// HasCard reports whether the document is paid by a card of which it has the last digits.
func (d *Document) HasCard() bool { return party.IsCard(d.PaymentCode()) && d.Trade.CardNumber != "" }

// HasDebit reports whether the document is paid by a direct debit of which it has the mandate or the account.
func (d *Document) HasDebit() bool {
	return party.IsDebit(d.PaymentCode()) && (d.Trade.Mandate != "" || d.Trade.DebitedIBAN != "")
}

// CreditorID returns the identifier of who collects a direct debit; empty if there is none.
func (d *Document) CreditorID() string {
	if !party.IsDebit(d.PaymentCode()) {
		return ""
	}
	return d.Trade.CreditorID
}

// Notes returns the notes: the notice, and those of the terms.
func (d *Document) Notes() []party.Note {
	var notes []party.Note
	if d.Notice != "" {
		notes = append(notes, party.Note{Text: d.Notice})
	}
	return append(notes, d.Trade.Notes.List()...)
}

// NotesOfUBL returns the notes as the form of UBL has them, with their subjects in front of them. Between other than German parties,
// Peppol allows one, which then has all.
func (d *Document) NotesOfUBL(f Form) []string {
	var notes []string
	for _, n := range d.Notes() {
		if n.SubjectCode != "" {
			n.Text = "#" + n.SubjectCode + "#" + n.Text
		}
		notes = append(notes, n.Text)
	}
	if f == Peppol && len(notes) > 0 && (d.Seller.Country != "DE" || d.Buyer.Country != "DE") {
		return []string{strings.Join(notes, "\n")}
	}
	return notes
}

// hasStrangeSubject reports whether a note of UBL begins with three characters between # that are no subject.
func hasStrangeSubject(note string) bool {
	_, rest, _ := strings.Cut(note, "#")
	subject, _, isClosed := strings.Cut(rest, "#")
	return isClosed && utf8.RuneCountInString(subject) == 3 && !party.IsSubject(subject)
}

// notes checks that texts between # are subjects.
func (c *checker) notes(f Form) {
	if isCII(f) {
		return
	}
	field := pick(strings.Contains(c.d.Notice, "#"), "notice", "terms.notes")
	for _, note := range c.d.NotesOfUBL(f) {
		c.expect(!hasStrangeSubject(note),
			"BR-CL-08", "BT-21", c.invoice(), field,
			"Three characters between # in a note are taken for its subject, which is a code of UNTDID 4451.",
		)
	}
}

// payment checks that the means of payment has what it needs.
func (c *checker) payment(f Form) {
	d, code := c.d, c.d.PaymentCode()
	const missing = "The account to pay to is missing: the IBAN of the seller, or another number."
	c.expect(code != creditTransfer && code != sepaTransfer || d.Account.ID() != "",
		pick(isCII(f), "CII-SR-470", "BR-61"), "BT-84", c.seller(), "iban", missing)
	c.expect(code != sepaTransfer || d.Account.IBAN != "",
		"KONTOR-IBAN", "BT-84", c.seller(), "iban", "A transfer in SEPA (58) needs an IBAN; one to another account has the code 30.")
}

func isCII(f Form) bool { return f == CII || f == FacturX || f == XRechnungCII }

// germanPayment checks the rules of XRechnung about cards and direct debits. Peppol has them under other names.
func (c *checker) germanPayment(f Form, name func(n int) string) {
	d, t := c.d, &c.d.Trade
	suffix := pick(f == Peppol, "-1", "-a")
	c.expect(!party.IsCard(d.PaymentCode()) || d.HasCard(),
		name(24)+suffix, "BT-87", c.invoice(), "terms.card_number", "The last digits of the card are missing.")
	if !party.IsDebit(d.PaymentCode()) {
		return
	}
	hasGroup := d.HasDebit() || isCII(f) && t.CreditorID != ""
	c.expect(hasGroup || d.PaymentCode() != sepaDebit, name(25)+suffix, "BT-89", c.invoice(), "terms.mandate", missingMandate)
	c.expect(!hasGroup || t.CreditorID != "",
		name(30), "BT-90", c.invoice(), "terms.creditor_id", "The creditor identifier of the direct debit is missing.")
	c.expect(!hasGroup || t.DebitedIBAN != "",
		name(31), "BT-91", c.invoice(), "terms.debited_iban", "The account that is debited is missing: the IBAN of the buyer.")
}

const missingMandate = "The mandate of the direct debit is missing."

// peppolPayment checks the rules of Peppol about means of payment.
func (c *checker) peppolPayment() {
	c.expect(!party.IsDebit(c.d.PaymentCode()) || c.d.Trade.Mandate != "",
		"PEPPOL-EN16931-R061", "BT-89", c.invoice(), "terms.mandate", missingMandate)
	switch c.d.Seller.Country {
	case "DK":
		if c.d.Buyer.Country == "DK" && c.d.Kind == Invoice {
			c.danishPayment()
		}
	case "IS":
		const message = "Icelandic sellers need an account_number of 12 digits in place of the IBAN for this means of payment."
		isShort := utf8.RuneCountInString(c.d.Account.ID()) != 12
		c.expect(c.d.PaymentCode() != "9" || !isShort, "IS-R-006", "BT-84", c.seller(), "account_number", message)
		c.expect(c.d.PaymentCode() != "42" || !isShort, "IS-R-007", "BT-84", c.seller(), "account_number", message)
	}
}

// means checks that the means of payment is one of the codes, between spaces. The record and the field are those of the account that
// would make it another by default.
func (c *checker) means(codes, rule, record, field, message string) {
	term := "BT-84"
	if c.d.Trade.PaymentMeans != "" {
		term, record, field = "BT-81", c.invoice(), "terms.payment_means"
	}
	code := c.d.PaymentCode()
	c.expect(code == "" || strings.Contains(codes, " "+code+" "), rule, term, record, field, message)
}

func (c *checker) danishPayment() {
	d, remittance, account := c.d, c.d.Remittance(), c.d.Account.ID()
	c.means(" 1 10 31 42 48 49 50 58 59 93 97 ", "DK-R-005", c.seller(), "iban",
		"Danish companies know the means of payment 1, 10, 31, 42, 48, 49, 50, 58, 59, 93 and 97 alone, and of transfers those to an IBAN.")
	switch d.PaymentCode() {
	case "31", "42":
		c.expect(account != "", "DK-R-006", "BT-84", c.seller(), "account_number", "The account is missing.")
		c.expect(account == "" || d.Account.BIC != "", "DK-R-006", "BT-86", c.seller(), "bic", "The bank of the account is missing.")
	case "49":
		c.expect(d.Trade.DebitedIBAN != "", "DK-R-007", "BT-91", c.invoice(), "terms.debited_iban", "The account that is debited is missing.")
	case "50":
		c.expect(matches(`^(01|04|15)#`, remittance), "DK-R-008", "BT-83", c.invoice(), "terms.remittance",
			"The remittance of a giro must begin with 01#, 04# or 15#.")
		c.expect(matches(`^[0-9]{7,8}$`, account), "DK-R-008", "BT-84", c.seller(), "account_number",
			"A giro needs an account_number of 7 or 8 digits, without an IBAN.")
		c.expect(!matches(`^(04|15)#`, remittance) || utf8.RuneCountInString(remittance) == 19,
			"DK-R-009", "BT-83", c.invoice(), "terms.remittance", "The remittance of a giro has 16 digits behind 04# or 15#.")
	case "93":
		c.expect(matches(`^(71|73|75)#`, remittance), "DK-R-010", "BT-83", c.invoice(), "terms.remittance",
			"The remittance of a FIK must begin with 71#, 73# or 75#.")
		c.expect(utf8.RuneCountInString(account) == 8, "DK-R-010", "BT-84", c.seller(), "account_number",
			"A FIK needs an account_number of 8 characters, without an IBAN.")
		n := utf8.RuneCountInString(remittance)
		c.expect(!matches(`^(71|75)#`, remittance) || n == 18 || n == 19, "DK-R-011", "BT-83", c.invoice(), "terms.remittance",
			"The remittance of a FIK has 15 or 16 digits behind 71# or 75#.")
	}
}
