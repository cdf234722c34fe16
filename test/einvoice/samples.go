package einvoice

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/replay"
)

// Forms are the forms that are judged.
var Forms = []billing.Form{billing.UBL, billing.CII, billing.Peppol, billing.XRechnung, billing.XRechnungCII}

// identity has valid numbers of a company in its country.
type identity struct{ country, city, zip, vatID, registration, register, endpoint, scheme, iban string }

var identities = []identity{
	{"DE", "Kiel", "24103", "DE136695976", "HRB 1234", "", "kontor@example.org", "EM", "DE02120300000000202051"},
	{"DE", "Köln", "50667", "DE136695976", "", "", "4012345000009", "0088", "DE02500105170137075030"},
	{"FR", "Lyon", "69001", "FR40303265045", "30326504500016", "0009", "30326504500016", "0009", "FR1420041010050500013M02606"},
	{"BE", "Gent", "9000", "BE0428759497", "0428759497", "0208", "0428759497", "0208", "BE68539007547034"},
	{"PL", "Łódź", "90-001", "PL8567346215", "", "", "PL8567346215", "9945", "PL61109010140000071219812874"},
	{"NL", "Utrecht", "3511", "NL004495445B01", "12345678", "0106", "12345678", "0106", "NL91ABNA0417164300"},
	{"IT", "Torino", "10121", "IT00743110157", "", "", "IT00743110157", "0211", "IT60X0542811101000000123456"},
	{"SE", "Malmö", "211 20", "SE556188840401", "5561888404", "0007", "5561888404", "0007", "SE4550000000058398257466"},
	{"DK", "Aarhus", "8000", "DK13585628", "13585628", "0184", "13585628", "0184", "DK5000400440116243"},
	{"NO", "Bergen", "5003", "NO974760673MVA", "974760673", "0192", "974760673", "0192", "NO9386011117947"},
	{"IS", "Reykjavík", "101", "IS12345", "5902697199", "0196", "5902697199", "0196", "IS140159260076545510730339"},
	{"AT", "Graz", "8010", "ATU13585627", "FN 1234", "", "ATU13585627", "9914", "AT611904300234573201"},
}

// strangers have a VAT id that is refused, or of another country than their address.
var strangers = []identity{
	{"NO", "Bergen", "5003", "NO974760673", "974760673", "0192", "974760673", "0192", "NO9386011117947"},
	{"DE", "Kiel", "24103", "IT00743110157", "HRB 1234", "", "kontor@example.org", "EM", "DE02120300000000202051"},
	{"IT", "Torino", "10121", "DE136695976", "", "", "IT00743110157", "0211", "IT60X0542811101000000123456"},
	{"DE", "Kiel", "24103", "XK123456789", "HRB 1234", "", "kontor@example.org", "EM", "DE02120300000000202051"},
}

var foreign = []identity{
	{"US", "Portland", "97201", "", "", "", "buyer@example.com", "EM", ""},
	{"CH", "Zürich", "8001", "CHE123456788", "CHE-123.456.788", "0183", "CHE123456788", "0183", "CH9300762011623852957"},
	{"JP", "京都", "600-8216", "", "", "", "0123456789012", "0188", ""},
	{"GB", "Leeds", "LS1 1UR", "GB123456789", "", "", "GB123456789", "9932", "GB29NWBK60161331926819"},
}

// sampler draws the parts of a sample.
type sampler struct{ *rand.Rand }

func pick[T any](s sampler, values ...T) T { return values[s.IntN(len(values))] }

// maybe returns the text, or nothing one time in n.
func (s sampler) maybe(n int, text string) string {
	if s.IntN(n) == 0 {
		return ""
	}
	return text
}

// Sample returns a random source of a document, the same one for the same seed. Some data may be missing one time in
// missing; 0 means never.
func Sample(seed uint64, missing int) billing.Source {
	src := plain(seed, missing)
	sampler{rand.New(rand.NewPCG(seed, 57))}.rarer(&src)
	sampler{rand.New(rand.NewPCG(seed, 58))}.early(&src)
	return src
}

// plain returns a sample of what most invoices have.
func plain(seed uint64, missing int) billing.Source {
	s := sampler{rand.New(rand.NewPCG(seed, 45))}
	if missing == 0 {
		missing = 1 << 30
	}
	seller, buyer := pick(s, identities...), pick(s, append(foreign, identities...)...)
	if s.IntN(missing) == 0 {
		seller = pick(s, strangers...)
	}
	if s.IntN(3) == 0 { // as most invoices are domestic
		buyer = seller
	}
	src := billing.Source{
		Performer: performer.State{ID: 3, Name: "Nordlicht & Söhne", CompanyAddress: "Hafen 1", Leader: "Ada Lund", Booker: "Bo Ek", Email: "a@example.org"},
		Client:    client.State{ID: 6, Type: client.Company, Name: `Café "Müller" <Süd>`},
		Seller:    s.details(seller, missing),
		Buyer:     s.details(buyer, missing),
	}
	src.Seller.LegalName = s.maybe(2, "Nordlicht & Söhne GmbH")
	src.Seller.Currency = s.maybe(missing, pick(s, "EUR", "EUR", "EUR", "PLN", "USD", "SEK", "JPY"))
	src.Buyer.BuyerReference = s.maybe(missing, "04011000-12345-03")
	if s.IntN(missing) != 0 {
		src.Buyer.PaymentDays = domain.Some(s.Int32N(60))
	}
	terms := s.terms(&src, missing)
	isCredit := s.IntN(4) == 0
	if isCredit {
		src.Credits = billing.Reference{Number: "2024-001", Date: fixture.At}
	}
	src.Invoice = s.invoice(seed, terms, isCredit)
	src.Invoice.Trade = s.trade(missing)
	return src
}

// adjust gives an invoice and its lines allowances and charges, by a source of randomness of its own.
func adjust(seed uint64, a *invoice.Attributes, t performer.Terms) {
	s := sampler{rand.New(rand.NewPCG(seed, 47))}
	if seed < 2 || s.IntN(2) == 0 {
		return
	}
	drawn := func(n int) (all []invoice.AdjustmentAttributes) {
		for range s.IntN(n) {
			adjustment := invoice.AdjustmentAttributes{Reason: domain.Some(pick(s, "Fracht", "Treue & <Bonus>"))}
			if sign := pick(s, "", "-"); s.IntN(2) == 0 {
				adjustment.Percent = domain.Some(fixture.Must(money.ParseChange(sign + pick(s, "5", "0.01", "33.33"))))
			} else {
				adjustment.Amount = domain.Some(fixture.Amount(sign + pick(s, "0.01", "4.95", "12")))
			}
			all = append(all, adjustment)
		}
		return all
	}
	lines := a.Lines.Or(nil)
	for i := range lines {
		if s.IntN(3) == 0 {
			lines[i].Adjustments = domain.Some(drawn(3))
		}
		if s.IntN(5) == 0 {
			lines[i].BaseCount = domain.Some(fixture.Quantity(pick(s, "100", "3", "0.5")))
		}
	}
	of := drawn(4)
	rates := []invoice.RateAttributes{{}}
	if t.VATUse { // else one rate is that of all lines
		rates = nil
		for _, l := range lines {
			rates = append(rates, invoice.RateAttributes{Category: domain.Some(performer.Zero)}, l.VAT)
		}
	}
	for i := range of {
		if of[i].VAT = pick(s, rates...); t.VATUse && of[i].VAT == (invoice.RateAttributes{}) {
			of[i].VAT.Percent = domain.Some(domain.Some(t.VATPercent))
		}
	}
	a.Adjustments = domain.Some(of)
	if s.IntN(4) == 0 {
		a.Currency, a.Exchange = domain.Some(pick(s, "CHF", "NOK", "EUR")), domain.Some(fixture.Quantity(pick(s, "1.05", "0.0931", "1")))
	}
}

// Credits returns the sources of the credit notes of a random invoice that is credited in parts, whose amounts are rounded.
func Credits(seed uint64) (sources []billing.Source) {
	s := sampler{rand.New(rand.NewPCG(seed, 46))}
	src := Sample(seed, 0)
	lines := make([]invoice.LineAttributes, 1+s.IntN(4))
	for i := range lines {
		lines[i] = invoice.LineAttributes{
			Name: domain.Some("Papier"), Units: domain.Some(pick(s, "", "kg", "h")),
			Count: domain.Some(fixture.Quantity(fmt.Sprint(1 + s.IntN(9)))),
			Price: domain.Some(fixture.Amount(pick(s, "0.005", "14.2857", "0.335", s.decimal(100, 4)))),
		}
	}
	terms := src.Invoice.Terms
	terms.InCents = s.IntN(2) == 0
	s.vary(lines, terms)
	state := invoiceOf(seed, "2024-7", "", s.discount(), lines, terms)
	state.ID, state.IssuedOn = 1, fixture.At
	for i := range state.Lines {
		state.Lines[i].ID = invoice.LineID(i + 1)
	}
	credited, former := invoice.Restore(state), invoice.Former{}.Clone()
	for credited.State().Status != invoice.Cancelled {
		request := invoice.CreditRequest{Date: fixture.At, Former: former.Clone()}
		if part := s.part(state, former); len(sources) < 20 && len(part) > 0 {
			request.Lines = domain.Some(part)
		}
		made, err := credited.Credit(request, fixture.At)
		if err != nil { // more than is left, because of allowances
			request.Lines = domain.Optional[[]invoice.CreditedLine]{}
			made = fixture.Must(credited.Credit(request, fixture.At))
		}
		note := made.State()
		note.Number = fmt.Sprintf("C2024-%d", len(sources)+1)
		src.Invoice, src.Former, src.Credits = note, request.Former, billing.Reference{Number: state.Number, Date: state.Date}
		sources = append(sources, src)
		for _, l := range note.Lines {
			former.Add(l)
		}
		former.AddAdjustments(note.Adjustments)
	}
	return sources
}

// part draws what to credit of the lines of which something is left; at times nothing.
func (s sampler) part(of invoice.State, former invoice.Former) (lines []invoice.CreditedLine) {
	for _, l := range of.Lines {
		if left := l.Count.Plus(former.Lines[l.ID].Count); s.IntN(2) == 0 && !left.IsZero() {
			if count := fixture.Quantity(pick(s, "0.5", "1", "0.333333")); left.Exceeds(count) {
				left = count
			}
			lines = append(lines, invoice.CreditedLine{ID: l.ID, Count: domain.Some(left)})
		}
	}
	return lines
}

func (s sampler) details(i identity, missing int) party.State {
	return party.State{
		Street: s.maybe(missing, "Straße 12 / 3"), Street2: s.maybe(2, "2. Stock"), Zip: s.maybe(missing, i.zip), City: s.maybe(missing, i.city),
		Region: s.maybe(2, "Süd"), Country: s.maybe(missing, i.country), VATID: s.maybe(missing, i.vatID),
		RegistrationID: s.maybe(missing, i.registration), RegistrationScheme: i.register,
		EndpointID: s.maybe(missing, i.endpoint), EndpointScheme: s.maybe(missing, i.scheme), IBAN: s.maybe(missing, i.iban), BIC: s.maybe(2, "BYLADEM1001"),
		ContactName: s.maybe(missing, "Ada"), ContactPhone: s.maybe(missing, "+49 431 1234"), ContactEmail: s.maybe(missing, "ada@example.org"),
	}
}

// terms draws the VAT of the invoice, and a category of the performer that fits most of the time.
func (s sampler) terms(src *billing.Source, missing int) performer.Terms {
	percent := "0"
	t := performer.Terms{VATUse: true}
	switch s.IntN(8) {
	case 0, 1:
		percent = pick(s, "19", "7.5", "25", "0.05", "100", "21")
		src.Seller.VATCategory = pick(s, "", "standard")
	case 2:
		src.Seller.VATCategory = pick(s, "", "zero")
	case 3:
		t.VATUse, src.Seller.VATCategory, src.Seller.VATReason = false, pick(s, "", "exempt"), s.maybe(missing, "§ 4 Nr. 21 UStG")
	case 4:
		t.VATUse, src.Seller.VATCategory, src.Seller.VATReason = false, "reverse_charge", s.maybe(2, "Steuerschuldnerschaft des Leistungsempfängers")
	case 5:
		t.VATUse, src.Seller.VATCategory = false, "outside"
		if src.Seller.RegistrationID == "" {
			src.Seller.RegistrationID = s.maybe(missing, "HRB 77")
		}
	}
	switch s.IntN(8) {
	case 0:
		t.VATUse, src.Seller.VATCategory = false, "intra_community"
	case 1:
		t.VATUse, src.Seller.VATCategory = s.IntN(2) == 0, "export"
		percent = "0"
	}
	if src.Seller.VATID == "" || s.IntN(8) == 0 {
		src.Seller.TaxNumber = s.maybe(missing, "12/345/67890")
	}
	t.VATPercent = fixture.Percent(percent)
	if t.VATUse && src.Seller.VATReason == "" {
		src.Seller.VATReason = s.maybe(missing, "§ 4 Nr. 21 UStG") // of lines that are exempt
	}
	return t
}

// vary gives some lines discounts and, if there is VAT, rates of their own.
func (s sampler) vary(lines []invoice.LineAttributes, t performer.Terms) {
	isMixed, isReduced := s.IntN(2) == 0, s.IntN(3) == 0
	for i := range lines {
		l := &lines[i]
		if s.IntN(4) == 0 {
			l.Item = invoice.ItemAttributes{
				Description: domain.Some(s.maybe(2, "Eiche, <geölt>\nund gebürstet")), ItemNumber: domain.Some(s.maybe(2, "B-1 & 2")),
				BuyerItemNumber: domain.Some(s.maybe(2, "77")), GTIN: domain.Some(s.maybe(2, "4006381333931")), Note: domain.Some(s.maybe(2, "wie besprochen")),
			}
		}
		if isReduced && s.IntN(2) == 0 {
			l.Discount = domain.Some(fixture.Percent(pick(s, "5", "33.33", "0.01", "100")))
		}
		if !t.VATUse || !isMixed {
			continue
		}
		switch s.IntN(6) {
		case 0, 1:
			l.VAT.Percent = domain.Some(domain.Some(fixture.Percent(pick(s, "7", "12", "25"))))
		case 2:
			l.VAT.Percent = domain.Some(domain.Some(fixture.Percent("0")))
		case 3:
			l.VAT.Category = domain.Some(pick(s, performer.Exempt, performer.Exempt, performer.ReverseCharge, performer.IntraCommunity, performer.Export))
		case 4:
			if s.IntN(8) == 0 {
				l.VAT.Category = domain.Some(performer.Outside)
			}
		}
	}
}

// trade draws what is said of the order and its delivery, most of it half of the time.
func (s sampler) trade(missing int) (t invoice.TradeTerms) {
	if s.IntN(2) == 0 {
		t = invoice.TradeTerms{
			OrderReference: s.maybe(2, "B & 77"), SalesOrder: s.maybe(2, "A-1"), Contract: s.maybe(2, "V/9"), Project: s.maybe(2, "Umbau"),
			BuyerReference: s.maybe(2, "04011000-12345-03"), Remittance: s.maybe(2, "RF18 5390"),
			PaymentTerms: s.maybe(2, pick(s, "Zahlbar sofort", "#SKONTO#TAGE=14#PROZENT=2.00#", "Skonto:\n#SKONTO#TAGE=7#PROZENT=2.25#BASISBETRAG=10.00#\nDanke",
				"#SKONTO#TAGE=7#PROZENT=2#", "#VERZUG")),
			PeriodFrom: s.maybe(2, "2024-02-01"), PeriodTo: s.maybe(2, "2024-02-29"), DeliveryName: s.maybe(2, "Lager <Süd>"),
		}
	}
	t.DeliveryDate = s.maybe(missing, "2024-02-28")
	if s.IntN(3) > 0 {
		t.DeliveryStreet, t.DeliveryZip, t.DeliveryCity = s.maybe(2, "Kai 3"), s.maybe(missing, "69001"), s.maybe(missing, "Lyon")
		t.DeliveryCountry = s.maybe(missing, pick(s, "FR", "DE", "US"))
	}
	return t
}

// discount draws the discount of an invoice.
func (s sampler) discount() money.Percent {
	return fixture.Percent(pick(s, "0", "0", "0", "3", "12.5", "0.07"))
}

func (s sampler) invoice(seed uint64, t performer.Terms, isCredit bool) invoice.State { //nolint:revive // flag-parameter: a drawn one
	n := 1 + s.IntN(12)
	switch s.IntN(40) {
	case 0:
		n = 300
	case 1, 2, 3:
		n = 1
	}
	lines := make([]invoice.LineAttributes, n)
	for i := range lines {
		count := s.decimal(1000, 6)
		if isCredit != (s.IntN(6) == 0) {
			count = "-" + count
		}
		price := s.decimal(2000, 4)
		if s.IntN(10) == 0 {
			price = "-" + price
		}
		lines[i] = invoice.LineAttributes{
			Name:  domain.Some(pick(s, "Bett, Eiche, 160 cm", `Papier "A4" <80 g> & mehr`, "Скатерть", "Rabatt", "Line\nof two", "Δίσκος")),
			Units: domain.Some(pick(s, "", "pcs", "Std.", "kg", "шт", "m²", "DAY", "lump sum", "XPP", "EA", "STK")),
			Count: domain.Some(fixture.Quantity(count)), Price: domain.Some(fixture.Amount(price)),
		}
	}
	s.vary(lines, t)
	return invoiceOf(seed, fmt.Sprintf("2024-%03d", s.IntN(1000)), s.maybe(2, "Zahlbar sofort.\nDanke & bis bald!"), s.discount(), lines, t)
}

// Real returns the source of the document of a real invoice, with parties that have all data.
func Real(sale *replay.Invoice) billing.Source {
	src := Sample(1, 0)
	src.Seller.Country, src.Buyer.Country, src.Seller.VATCategory, src.Credits = "DE", "GB", "standard", billing.Reference{}
	lines := make([]invoice.LineAttributes, len(sale.Lines))
	for i, l := range sale.Lines {
		lines[i] = invoice.LineAttributes{
			Name: domain.Some(l.Name), Count: domain.Some(fixture.Quantity(l.Count)), Price: domain.Some(fixture.Amount(l.Price)),
		}
	}
	src.Invoice = invoiceOf(0, sale.Number, "", money.Percent{}, lines, performer.Terms{VATUse: true, VATPercent: fixture.Percent("17.5")})
	return src
}

func invoiceOf(seed uint64, number, notice string, discount money.Percent, lines []invoice.LineAttributes, t performer.Terms) invoice.State {
	a := invoice.Attributes{
		Number: domain.Some(number), Date: domain.Some(time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)),
		PerformerID: domain.Some(performer.ID(3)), ClientID: domain.Some(client.ID(6)), TypeID: domain.Some(catalog.InvoiceTypeID(1)),
		Notice: domain.Some(notice), Discount: domain.Some(discount), Lines: domain.Some(lines),
	}
	adjust(seed, &a, t)
	inv, err := invoice.New(1, a, t, fixture.At)
	if err != nil {
		panic(err)
	}
	return inv.State()
}

// decimal draws a positive number below the limit, with up to that many fraction digits.
func (s sampler) decimal(limit, digits int) string {
	whole, d := s.IntN(limit), s.IntN(digits+1)
	if d == 0 || s.IntN(3) == 0 {
		return fmt.Sprint(1 + whole)
	}
	fraction := 1
	for range d {
		fraction *= 10
	}
	return fmt.Sprintf("%d.%0*d", whole, d, 1+s.IntN(fraction-1))
}
