package demo

import (
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
)

// Statuses, types and performers are indexes of the lists of a loader.
const (
	isNew, offerMade, won, lost = 0, 1, 2, 3
	furnishing, repair, rental  = 0, 1, 2
	plain, advance, creditNote  = 0, 1, 2
	workshop, rentals           = 0, 1
)

// load adds the data of a fictitious furniture workshop.
func (l *loader) load(dana command.Request) {
	mira, jonas := l.user(admin+"-mira", "Mira", "Berg", user.Manager), l.user(admin+"-jonas", "Jonas", "Falk", user.Manager)
	l.references(dana)
	l.companies(mira, jonas)
	l.people(mira, jonas)
}

func (l *loader) references(dana command.Request) {
	for i, s := range [][2]string{{"New", "#1e90ff"}, {"Offer made", "#f0ad4e"}, {"Won", "#2e8b57"}, {"Lost", "#9e9e9e"}} {
		l.statuses = append(l.statuses, add(l, "status "+s[0], dana, l.Statuses.Create, catalog.StatusAttributes{
			Name: some(s[0]), Color: some(s[1]), Default: domain.Some(i == isNew),
		}))
	}
	for _, name := range []string{"Furnishing", "Repair", "Rental"} {
		l.dealTypes = append(l.dealTypes, add(l, "deal type "+name, dana, l.DealTypes.Create, catalog.LabelAttributes{Name: some(name)}))
	}
	for _, name := range []string{"Invoice", "Advance invoice", "Credit note"} {
		added := add(l, "invoice type "+name, dana, l.InvoiceTypes.Create, catalog.LabelAttributes{Name: some(name)})
		l.invoiceTypes = append(l.invoiceTypes, added)
	}
	l.performers = append(l.performers, add(l, "performer", dana, l.Performers.Create, performer.Attributes{
		Name: some("Nordlicht Workshop"), CompanyName: some("Nordlicht Möbel GmbH"),
		CompanyAddress: some("Hafenstraße 14, 24103 Kiel"), BankDetails: some("IBAN DE02 1203 0000 0000 2020 51"),
		Leader: some("Dana Moser"), LeaderRank: some("Managing director"), Booker: some("Ole Harms"),
		Phone: some("+49 431 555 0100"), Email: some("office@nordlicht.example"),
		VATUse: domain.Some(true), VATPercent: domain.Some(exactly(money.ParsePercent("19"))),
	}), add(l, "performer", dana, l.Performers.Create, performer.Attributes{
		Name: some("Nordlicht Rentals"), CompanyName: some("Dana Moser, Rentals"),
		RealAddress: some("Hafenstraße 16, 24103 Kiel"), Leader: some("Dana Moser"), Email: some("rentals@nordlicht.example"),
	}))
}

func (l *loader) companies(mira, jonas command.Request) {
	c := l.company(mira, "Hotel Seeblick", "front@seeblick.example", "+49 431 555 0111", "Strandweg 3, 24159 Kiel")
	c.contact("Greta Lund", "Director", "greta@seeblick.example")
	c.contact("Timo Brandt", "Housekeeping", "timo@seeblick.example")
	c.deal("Twelve rooms, second floor", furnishing, won,
		offer(131, "In walnut."), offer(118, "In oak."), contract(104, "A third in advance."),
		bill(workshop, advance, 96, invoice.Closed, "", line("Advance for twelve rooms", "", "1", "9600")),
		bill(workshop, plain, 41, invoice.Paid, "", line("Bed, oak, 160 cm", "pcs", "12", "1240"),
			line("Wardrobe, two doors", "pcs", "12", "890.50"), line("Fitting", "h", "37.5", "58"), line("Advance paid", "", "-1", "9600")))
	c.deal("Breakfast hall", furnishing, offerMade, offer(4, ""))

	c = l.company(mira, "Café Morgenrot", "hallo@morgenrot.example", "+49 431 555 0112", "Holtenauer Straße 88, 24105 Kiel")
	c.contact("Samira Haddad", "Owner", "samira@morgenrot.example")
	c.deal("Counter and twenty chairs", furnishing, won,
		bill(workshop, plain, 33, invoice.Closed, "",
			line("Counter, beech, 4.2 m", "pcs", "1", "3480"), line("Chair, stackable", "pcs", "20", "97")),
		bill(workshop, creditNote, 26, invoice.Paid, "Two chairs came back.", line("Chair, stackable, returned", "pcs", "-2", "97")))

	c = l.company(jonas, "Büro Hoffmann & Söhne", "einkauf@hoffmann.example", "+49 40 555 0131", "Speicherstadt 7, 20457 Hamburg")
	c.contact("Ida Hoffmann", "Purchasing", "ida@hoffmann.example")
	c.deal("Desks for the new office", furnishing, won, bill(workshop, plain, 12, invoice.NotPaid, "",
		line("Standing desk", "pcs", "18", "745"), line("Cable tray", "pcs", "18", "29.50"), line("Delivery", "km", "96.5", "2")))
	c.pays(workshop, 3, "5000", "Desks, first part")

	c = l.company(jonas, "Theatre on the Quay", "stage@quay.example", "+49 451 555 0140", "An der Obertrave 21, 23552 Lübeck")
	c.contact("Ruben Okafor", "Stage manager", "ruben@quay.example")
	c.deal("Armchairs for the autumn play", rental, won, contract(63, "Ten weeks, to be prolonged by the week."),
		bill(rentals, plain, 58, invoice.Closed, "", line("Armchair, per week", "week", "6", "140")),
		bill(rentals, plain, 16, invoice.NotPaid, "", line("Armchair, per week", "week", "4", "140"), line("Cleaning", "", "1", "65")))

	c = l.company(mira, "Kindergarten Sonnenhof", "team@sonnenhof.example", "+49 431 555 0115", "Am Hang 2, 24113 Kiel")
	c.contact("Lene Voss", "Head", "lene@sonnenhof.example")
	c.deal("Small tables, rounded", furnishing, offerMade,
		bill(workshop, advance, 9, invoice.Cancelled, "Ordered one size smaller.", line("Table, 52 cm", "pcs", "6", "210")),
		bill(workshop, advance, 5, invoice.NotPaid, "", line("Table, 46 cm", "pcs", "6", "198")))

	c = l.company(jonas, "Bookshop Zwischenzeilen", "post@zwischenzeilen.example", "", "Königstraße 51, 23552 Lübeck")
	c.deal("Shelves along the stairs", furnishing, isNew)
	c.deal("A wobbling reading table", repair, won, bill(workshop, plain, 71, invoice.Paid, "", line("Repair of a table", "h", "1.5", "58")))

	c = l.company(jonas, "Shipyard Thode", "werft@thode.example", "+49 4841 555 017", "Werftweg 1, 25813 Husum")
	c.contact("Boy Thode", "Master shipwright", "boy@thode.example")
	c.deal("Cabin fittings for a cutter", furnishing, lost)

	c = l.company(mira, "Music School Horn", "info@musikhorn.example", "+49 431 555 0118", "Ringstraße 30, 24114 Kiel")
	c.deal("Forty music stands", rental, won,
		bill(rentals, plain, 2, invoice.NotPaid, "", line("Music stand, per month", "month", "3", "88.40")))
}

func (l *loader) people(mira, jonas command.Request) {
	c := l.person(mira, "Anna Lindqvist", "anna@lindqvist.example", "+46 40 555 014", "Collects Danish chairs.")
	c.contact("Per Lindqvist", "Husband", "per@lindqvist.example")
	c.deal("A chair of 1958", repair, won,
		bill(workshop, plain, 20, invoice.Paid, "", line("Restoring", "h", "6.5", "62"), line("Cane seat", "pcs", "1", "140")))

	c = l.person(jonas, "Emil Thomsen", "emil@thomsen.example", "+49 4621 555 022", "Calls in the evening only.")
	c.deal("Bed with drawers", furnishing, offerMade, offer(8, "Mattress not included."))

	c = l.person(jonas, "Clara Reis", "clara@reis.example", "", "")
	c.deal("Tables for a wedding", rental, won, bill(rentals, plain, 7, invoice.NotPaid, "To be returned on Monday.",
		line("Table, 180 cm", "pcs", "14", "12.50"), line("Bench", "pcs", "28", "4.75"), line("Discount", "", "-1", "25")))
	c.pays(rentals, 2, "300", "Reis, tables and benches")

	c = l.person(mira, "Yusuf Demir", "yusuf@demir.example", "+49 431 555 0122", "Kitchen measured in spring.")
	c.deal("Kitchen in ash", furnishing, isNew)

	owner{l, mira, 0}.deal("Inquiry from the trade fair", furnishing, isNew, inquirer("Pia Nowak", "Architect", "pia@nowak.example"))
}
