package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/money"
)

// Pictures are the performer's pictures on a document, in PNG or JPEG; nil for none.
type Pictures struct {
	Logo, Stamp, LeaderSignature, BookerSignature []byte
}

// The names of the pictures.
const (
	logo            = "logo"
	stamp           = "stamp"
	leaderSignature = "leader's signature"
	bookerSignature = "booker's signature"
)

func (p Pictures) named() map[string][]byte {
	return map[string][]byte{logo: p.Logo, stamp: p.Stamp, leaderSignature: p.LeaderSignature, bookerSignature: p.BookerSignature}
}

// sheet has the texts of a document in its language, in the order in which they are printed.
type sheet struct {
	words     words
	Language  string
	Title     string
	Running   string   // title and date, at the head of further pages
	Mark      string   // across the page, that the document does not count; "" if it does
	Sender    []string // name and address of the seller
	Recipient []string
	Facts     []fact // number, dates, references
	Columns   [5]string
	Lines     []line
	Totals    []fact // the last one is the amount due
	Notes     []string
	Payment   []fact
	Signers   []signer
	Footer    []string // contact and registration of the seller
	Currency  string
}

type fact struct{ Label, Text string }

type line struct {
	Number, Name, Count, Price, Amount string
	Detail                             string // its discount, and its VAT if lines have different ones
	carried                            string // sum of the amounts up to this line
}

type signer struct {
	Name, Rank string
	picture    string // its name
}

// Title returns the title of a document: its kind and number, and whether it does not count.
func Title(d billing.Document) string {
	w := wordsOf(d.Language)
	title := w.invoice
	if d.Kind == billing.CreditNote {
		title = w.creditNote
	}
	title = strings.TrimSpace(title + " " + d.Number)
	if mark := w.mark(d.Standing); mark != "" {
		title += " – " + mark
	}
	return title
}

// mark returns the word for a document that does not count; "" for others.
func (w words) mark(s billing.Standing) string {
	switch s {
	case billing.Draft:
		return w.draft
	case billing.Cancelled:
		return w.cancelled
	default:
		return ""
	}
}

// sheetOf returns the texts of a document.
func sheetOf(d billing.Document, p Pictures) sheet {
	w := wordsOf(d.Language)
	s := sheet{
		words: w, Language: d.Language, Title: Title(d), Currency: d.Currency,
		Columns: [5]string{"#", w.name, w.count, w.price, w.amount},
	}
	s.Sender, s.Recipient = address(d.Seller), address(d.Buyer)
	if d.Buyer.Country != "" && d.Seller.Country != d.Buyer.Country {
		s.Sender = present(append(s.Sender, country(d.Seller.Country, d.Language))...)
		s.Recipient = present(append(s.Recipient, country(d.Buyer.Country, d.Language))...)
	}
	s.Running, s.Mark = strings.Join(present(s.Title, w.day(d.Date)), " · "), w.mark(d.Standing)
	s.Facts = w.facts(d)
	s.Lines = w.lines(d)
	s.Totals = w.totals(d)
	s.Notes = w.notes(d)
	s.Payment = w.accountFacts(d)
	s.Footer = w.footer(d.Seller, w.vatIDOf(d.Seller, d))
	s.Signers = signers(d, p)
	return s
}

// address returns the printed lines of an address, without the country.
func address(p billing.Party) []string {
	lines := []string{p.Name, p.TradingName}
	if p.Street == "" && p.City == "" {
		lines = append(lines, strings.Split(p.Address, "\n")...)
	} else {
		lines = append(append(lines, p.Street, p.Street2), town(p)...)
	}
	return present(lines...)
}

// town returns the lines with the city, the postal code and the region, in the order of the country.
func town(p billing.Party) []string {
	switch p.Country {
	case "AU", "CA", "NZ", "US":
		return []string{strings.Join(present(p.City, strings.TrimSpace(p.Region+" "+p.Zip)), ", ")}
	case "GB", "IE":
		return []string{p.City, p.Region, p.Zip}
	}
	return []string{strings.TrimSpace(p.Zip + " " + p.City), p.Region}
}

// country returns the name of a country in a language; the code itself if it has none.
func country(code, lang string) string {
	region, err := language.ParseRegion(code)
	if err != nil {
		return code
	}
	return cmp.Or(display.Regions(language.Make(lang)).Name(region), code)
}

// present returns the texts that are not empty.
func present(texts ...string) []string {
	var found []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			found = append(found, t)
		}
	}
	return found
}

// stated returns the facts that have a text.
func stated(all ...fact) []fact {
	var found []fact
	for _, f := range all {
		if f.Text != "" {
			found = append(found, f)
		}
	}
	return found
}

func (w words) facts(d billing.Document) []fact {
	return stated(
		fact{w.number, d.Number},
		fact{w.date, w.day(d.Date)},
		fact{w.due, w.day(d.Due)},
		fact{w.delivered, w.dayOf(d.Trade.DeliveryDate)},
		fact{w.period, w.periodOf(d.Trade.PeriodFrom, d.Trade.PeriodTo)},
		fact{w.yourOrder, d.Trade.OrderReference},
		fact{w.ourOrder, d.Trade.SalesOrder},
		fact{w.contract, d.Trade.Contract},
		fact{w.project, d.Trade.Project},
		fact{w.deliveredTo, strings.Join(present(d.Trade.DeliveryName, d.Trade.DeliveryStreet,
			strings.TrimSpace(d.Trade.DeliveryZip+" "+d.Trade.DeliveryCity), d.Trade.DeliveryCountry), ", ")},
		fact{w.credits, strings.TrimSpace(d.Credits.Number + " " + w.day(d.Credits.Date))},
		fact{w.yourReference, d.BuyerReference},
		fact{w.yourVATID, w.vatIDOf(d.Buyer, d)},
		fact{w.customer, d.Buyer.ID},
		fact{w.supplier, d.Seller.ID},
	)
}

func (w words) lines(d billing.Document) []line {
	lines := make([]line, len(d.Lines))
	var sum money.Amount
	for i, l := range d.Lines {
		sum = sum.Plus(l.Total)
		lines[i] = line{
			Number: strconv.Itoa(i + 1), Name: l.Name, Count: strings.TrimSpace(w.decimalText(l.Count.String()) + " " + l.Unit),
			Price: w.priceOf(l), Amount: w.cents(l.Total), carried: w.cents(sum), Detail: w.detail(d, l),
		}
	}
	return lines
}

// detail returns what is printed below the name of a line.
func (w words) detail(d billing.Document, l billing.Line) string {
	var vat string
	var adjustments []string
	for _, a := range l.Adjustments {
		label := w.adjustment(a)
		if a.Percent.IsZero() {
			label += " " + w.cents(a.Signed())
		}
		adjustments = append(adjustments, label)
	}
	if d.IsMixed() {
		vat = w.vat + " " + w.percent(l.VAT.Percent)
		if reason := w.reasons[l.VAT.Category]; reason != "" {
			vat = reason
		}
	}
	var number string
	if l.Item.ItemNumber != "" {
		number = w.itemNumber + " " + l.Item.ItemNumber
	}
	facts := present(append([]string{number, w.periodOf(l.Item.PeriodFrom, l.Item.PeriodTo), vat}, adjustments...)...)
	return strings.Join(present(l.Item.Description, strings.Join(facts, " · "), l.Item.Note), "\n")
}

// adjustment returns what the adjustment is called.
func (w words) adjustment(a billing.Adjustment) string {
	reason := cmp.Or(a.Reason, w.discount)
	if a.Percent.IsZero() {
		return reason
	}
	return reason + " " + w.percent(a.Percent)
}

func (w words) totals(d billing.Document) []fact {
	var all []fact
	if len(d.Adjustments) > 0 {
		all = append(all, fact{w.sum, w.cents(d.Total)})
	}
	for i, a := range d.Adjustments {
		sum := a.Signed()
		if a.IsDiscount { // of all rates
			if i > 0 {
				continue
			}
			sum = d.Discount().Negated()
		}
		all = append(all, fact{w.adjustment(a), w.cents(sum)})
	}
	all = append(all, fact{w.net, w.cents(d.Net)})
	gross := w.total
	for _, v := range d.VAT {
		if v.Category.IsCharged() {
			gross = w.gross
		}
		label := w.vat + " " + w.percent(v.Percent)
		if d.IsMixed() {
			label += " " + w.of + " " + w.cents(v.Taxable)
		}
		all = append(all, fact{label, w.cents(v.Amount)})
	}
	all = append(all, fact{gross, w.cents(d.Gross)})
	if !d.Rounding.IsZero() {
		all = append(all, fact{w.rounding, w.cents(d.Rounding)})
	}
	if !d.Prepaid.IsZero() {
		all = append(all, fact{w.prepaid, w.cents(d.Prepaid.Negated())})
	}
	due := w.amountDue
	if d.Kind == billing.CreditNote {
		due = w.credited
	}
	return append(all, fact{due, strings.TrimSpace(w.cents(d.AmountDue) + " " + d.Currency)})
}

func (w words) notes(d billing.Document) []string {
	var notes []string
	for _, v := range d.VAT {
		reason := v.Reason
		if !v.Category.IsCharged() {
			reason = cmp.Or(reason, withCode(w.reasons[v.Category], v.ReasonCode))
		}
		if !slices.Contains(notes, reason) {
			notes = append(notes, reason)
		}
	}
	notes = append(notes, d.Trade.PaymentTerms, EarlyPayment(d))
	for _, n := range d.Notes() {
		notes = append(notes, n.Text)
	}
	return present(notes...)
}

// EarlyPayment returns the discount for early payment of a document as a sentence in its language; "" if there is none.
func EarlyPayment(d billing.Document) string {
	e, w := d.Early, wordsOf(d.Language)
	if e.Percent.IsZero() {
		return ""
	}
	return fmt.Sprintf(w.early, w.decimalText(e.Percent.String())+"\u00a0%", w.day(e.Until), w.cents(e.Amount))
}

// withCode returns a text with a code behind it.
func withCode(text, code string) string {
	if code == "" {
		return text
	}
	return strings.TrimSpace(text + " (" + code + ")")
}

func (w words) accountFacts(d billing.Document) []fact {
	holder, details, transfer := d.Account.Holder, d.BankDetails, d.Remittance()
	if d.Account.ID() == "" {
		holder = ""
	} else if repeats(details, d.Account) {
		details = ""
	}
	if d.Kind == billing.CreditNote || d.Standing != billing.Valid || d.Account.ID() == "" && details == "" {
		transfer = ""
	}
	return append(w.meansFacts(d), stated(fact{w.account, holder}, fact{"IBAN", groups(d.Account.IBAN)},
		fact{w.accountNumber, d.Account.Number}, fact{"BIC", d.Account.BIC}, fact{w.bank, details}, fact{w.transfer, transfer})...)
}

// meansFacts returns how a document is paid, if its terms say so.
func (w words) meansFacts(d billing.Document) []fact {
	facts := []fact{{w.means, cmp.Or(d.Trade.PaymentMeansText, w.meansNames[d.Trade.PaymentMeans])}}
	if d.HasCard() {
		facts = append(facts, fact{w.card, strings.TrimSpace("… " + d.Trade.CardNumber + " " + d.Trade.CardHolder)})
	}
	if d.HasDebit() {
		facts = append(facts, fact{w.mandate, d.Trade.Mandate}, fact{w.debited, groups(d.Trade.DebitedIBAN)})
	}
	return stated(append(facts, fact{w.creditor, d.CreditorID()})...)
}

// repeats reports whether bank details say nothing beside the account.
func repeats(details string, a billing.Account) bool {
	rest := lettersAndDigits(details)
	for _, known := range []string{a.IBAN, lettersAndDigits(a.Number), a.BIC, lettersAndDigits(a.Holder), "IBAN", "BIC", "SWIFT"} {
		if known != "" {
			rest = strings.ReplaceAll(rest, known, "")
		}
	}
	return rest == ""
}

func lettersAndDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, text)
}

// vatIDOf returns the VAT id of a party. The words of Poland call it by a name that it has at home, where it has no prefix.
func (w words) vatIDOf(p billing.Party, d billing.Document) string {
	if w.isPlainAtHome && d.Seller.Country == "PL" && d.Buyer.Country == "PL" {
		return strings.TrimPrefix(p.VATID, "PL")
	}
	return p.VATID
}

func (w words) footer(p billing.Party, vatID string) []string {
	var labelled []string
	for _, f := range stated(fact{w.vatID, vatID}, fact{w.taxNumber, p.TaxNumber}, fact{w.registration, p.RegistrationID}) {
		labelled = append(labelled, f.Label+" "+f.Text)
	}
	return present(
		strings.Join(present(append([]string{p.Name, p.Street}, town(p)...)...), " · "),
		strings.Join(present(p.ContactName, p.ContactPhone, p.ContactEmail), " · "),
		strings.Join(labelled, " · "),
		strings.Join(present(strings.Split(p.LegalText, "\n")...), " · "),
	)
}

func signers(d billing.Document, p Pictures) []signer {
	var found []signer
	for _, s := range []signer{{d.Leader, d.LeaderRank, leaderSignature}, {d.Booker, "", bookerSignature}} {
		if s.Name != "" || p.named()[s.picture] != nil {
			found = append(found, s)
		}
	}
	return found
}

func (w words) day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(w.dateLayout)
}

func (w words) cents(a money.Amount) string { return w.grouped(a.Fixed(billing.Cents)) }

// dayOf prints a date of the trade terms.
func (w words) dayOf(date string) string {
	t, _ := time.Parse(time.DateOnly, date) // the zero time for none
	return w.day(t)
}

// priceOf returns the price of a line, and how many units it is for.
func (w words) priceOf(l billing.Line) string {
	if l.BaseCount.IsZero() {
		return w.unitPrice(l.Price)
	}
	return w.unitPrice(l.Price) + " / " + w.decimalText(l.BaseCount.String())
}

// periodOf prints a period.
func (w words) periodOf(from, to string) string {
	return strings.Join(present(w.dayOf(from), w.dayOf(to)), " – ")
}

// unitPrice returns a price with two fraction digits, or with four if it needs them.
func (w words) unitPrice(a money.Amount) string {
	text := a.Fixed(money.Digits)
	if short, isShort := strings.CutSuffix(text, "00"); isShort {
		text = short
	}
	return w.grouped(text)
}

// percent returns a percentage without trailing zeros.
func (w words) percent(p money.Percent) string {
	return w.decimalText(strings.TrimSuffix(strings.TrimRight(p.String(), "0"), ".")) + "\u00a0%"
}

// grouped returns a decimal number with separators of thousands.
func (w words) grouped(number string) string {
	sign := ""
	if digits, isNegative := strings.CutPrefix(number, "-"); isNegative {
		sign, number = "-", digits
	}
	whole, fraction, _ := strings.Cut(number, ".")
	first := (len(whole)-1)%3 + 1
	groups := []string{whole[:first]}
	for rest := whole[first:]; rest != ""; rest = rest[3:] {
		groups = append(groups, rest[:3])
	}
	return sign + strings.Join(groups, w.thousands) + w.decimal + fraction
}

func (w words) decimalText(number string) string { return strings.Replace(number, ".", w.decimal, 1) }

// groups returns an IBAN in groups of four characters.
func groups(iban string) string {
	var text strings.Builder
	for i, c := range iban {
		if i > 0 && i%4 == 0 {
			text.WriteByte(' ')
		}
		text.WriteRune(c)
	}
	return text.String()
}
