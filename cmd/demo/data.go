package demo

import (
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
)

// The demo data is that of a fictitious furniture workshop. Records refer to each
// other by their index in these lists.

var users = []user.Attributes{
	colleague(admin, "Dana", "Moser", "dana@nordlicht.example", user.Admin),
	colleague(admin+"-mira", "Mira", "Berg", "mira@nordlicht.example", user.Manager),
	colleague(admin+"-jonas", "Jonas", "Falk", "jonas@nordlicht.example", user.Manager),
}

const (
	dana = iota
	mira
	jonas
)

var statuses = []catalog.StatusAttributes{
	{Name: some("New"), Color: some("#1e90ff"), Default: optional.Some(true)},
	{Name: some("Offer made"), Color: some("#f0ad4e")},
	{Name: some("Won"), Color: some("#2e8b57")},
	{Name: some("Lost"), Color: some("#9e9e9e")},
}

const (
	isNew = iota
	offerMade
	won
	lost
)

var dealTypes = []string{"Furnishing", "Repair", "Rental"}

const (
	furnishing = iota
	repair
	rental
)

var invoiceTypes = []string{"Invoice", "Advance invoice", "Credit note"}

const (
	plain = iota
	advance
	credit
)

var performers = []performer.Attributes{
	{
		Name: some("Nordlicht Workshop"), CompanyName: some("Nordlicht Möbel GmbH"),
		CompanyAddress: some("Hafenstraße 14, 24103 Kiel"), BankDetails: some("IBAN DE02 1203 0000 0000 2020 51"),
		Leader: some("Dana Moser"), LeaderRank: some("Managing director"), Booker: some("Ole Harms"),
		Phone: some("+49 431 555 0100"), Email: some("office@nordlicht.example"),
		VATUse: optional.Some(true), VATPercent: optional.Some(exactly(money.ParsePercent("20"))),
	},
	{
		Name: some("Nordlicht Rentals"), CompanyName: some("Dana Moser, Rentals"),
		RealAddress: some("Hafenstraße 16, 24103 Kiel"), Leader: some("Dana Moser"), Email: some("rentals@nordlicht.example"),
	},
}

const (
	workshop = iota
	rentals
)

// clientData is a client of a manager, with its contacts and deals.
type clientData struct {
	owner      int
	attributes client.Attributes
	contacts   []contact.Attributes
	deals      []dealData
}

type dealData struct {
	name         string
	kind, status int
	contacts     []contact.Attributes
	offers       []documentData
	contracts    []documentData
	invoices     []invoiceData
}

// documentData is an offer or a contract that was written some days before the
// demo is loaded.
type documentData struct {
	daysAgo int
	notice  string
}

type invoiceData struct {
	performer, kind int
	daysAgo         int
	status          invoice.Status
	notice          string
	lines           []invoice.LineAttributes
}

var clients = []clientData{
	{
		owner:      mira,
		attributes: company("Hotel Seeblick", "front@seeblick.example", "+49 431 555 0111", "Strandweg 3, 24159 Kiel"),
		contacts: []contact.Attributes{
			somebody("Greta Lund", "Director", "greta@seeblick.example"),
			somebody("Timo Brandt", "Housekeeping", "timo@seeblick.example"),
		},
		deals: []dealData{
			{
				name: "Twelve rooms, second floor", kind: furnishing, status: won,
				offers:    []documentData{{daysAgo: 131, notice: "In walnut."}, {daysAgo: 118, notice: "In oak."}},
				contracts: []documentData{{daysAgo: 104, notice: "A third in advance."}},
				invoices: []invoiceData{
					{performer: workshop, kind: advance, daysAgo: 96, status: invoice.Closed, lines: lines(line("Advance for twelve rooms", "", "1", "9600"))},
					{performer: workshop, kind: plain, daysAgo: 41, status: invoice.Paid, lines: lines(
						line("Bed, oak, 160 cm", "pcs", "12", "1240"), line("Wardrobe, two doors", "pcs", "12", "890.50"),
						line("Fitting", "h", "37.5", "58"), line("Advance paid", "", "-1", "9600"))},
				},
			},
			{name: "Breakfast hall", kind: furnishing, status: offerMade, offers: []documentData{{daysAgo: 4}}},
		},
	},
	{
		owner:      mira,
		attributes: company("Café Morgenrot", "hallo@morgenrot.example", "+49 431 555 0112", "Holtenauer Straße 88, 24105 Kiel"),
		contacts:   []contact.Attributes{somebody("Samira Haddad", "Owner", "samira@morgenrot.example")},
		deals: []dealData{
			{name: "Counter and twenty chairs", kind: furnishing, status: won, invoices: []invoiceData{
				{performer: workshop, kind: plain, daysAgo: 33, status: invoice.Closed, lines: lines(
					line("Counter, beech, 4.2 m", "pcs", "1", "3480"), line("Chair, stackable", "pcs", "20", "96.90"))},
				{performer: workshop, kind: credit, daysAgo: 26, status: invoice.Paid, notice: "Two chairs came back.", lines: lines(
					line("Chair, stackable, returned", "pcs", "-2", "96.90"))},
			}},
		},
	},
	{
		owner:      jonas,
		attributes: company("Büro Hoffmann & Söhne", "einkauf@hoffmann.example", "+49 40 555 0131", "Speicherstadt 7, 20457 Hamburg"),
		contacts:   []contact.Attributes{somebody("Ida Hoffmann", "Purchasing", "ida@hoffmann.example")},
		deals: []dealData{
			{name: "Desks for the new office", kind: furnishing, status: won, invoices: []invoiceData{
				{performer: workshop, kind: plain, daysAgo: 12, status: invoice.NotPaid, lines: lines(
					line("Standing desk", "pcs", "18", "745"), line("Cable tray", "pcs", "18", "29.90"), line("Delivery", "km", "96.5", "1.15"))},
			}},
		},
	},
	{
		owner:      jonas,
		attributes: company("Theatre on the Quay", "stage@quay.example", "+49 451 555 0140", "An der Obertrave 21, 23552 Lübeck"),
		contacts:   []contact.Attributes{somebody("Ruben Okafor", "Stage manager", "ruben@quay.example")},
		deals: []dealData{
			{
				name: "Armchairs for the autumn play", kind: rental, status: won,
				contracts: []documentData{{daysAgo: 63, notice: "Ten weeks, to be prolonged by the week."}},
				invoices: []invoiceData{
					{performer: rentals, kind: plain, daysAgo: 58, status: invoice.Closed, lines: lines(line("Armchair, per week", "week", "6", "140"))},
					{performer: rentals, kind: plain, daysAgo: 16, status: invoice.NotPaid, lines: lines(line("Armchair, per week", "week", "4", "140"), line("Cleaning", "", "1", "65"))},
				},
			},
		},
	},
	{
		owner:      mira,
		attributes: company("Kindergarten Sonnenhof", "team@sonnenhof.example", "+49 431 555 0115", "Am Hang 2, 24113 Kiel"),
		contacts:   []contact.Attributes{somebody("Lene Voss", "Head", "lene@sonnenhof.example")},
		deals: []dealData{
			{name: "Small tables, rounded", kind: furnishing, status: offerMade, invoices: []invoiceData{
				{performer: workshop, kind: advance, daysAgo: 9, status: invoice.Cancelled, notice: "Ordered one size smaller.", lines: lines(line("Table, 52 cm", "pcs", "6", "210"))},
				{performer: workshop, kind: advance, daysAgo: 5, status: invoice.NotPaid, lines: lines(line("Table, 46 cm", "pcs", "6", "198"))},
			}},
		},
	},
	{
		owner:      jonas,
		attributes: company("Bookshop Zwischenzeilen", "post@zwischenzeilen.example", "", "Königstraße 51, 23552 Lübeck"),
		deals: []dealData{
			{name: "Shelves along the stairs", kind: furnishing, status: isNew},
			{name: "A wobbling reading table", kind: repair, status: won, invoices: []invoiceData{
				{performer: workshop, kind: plain, daysAgo: 71, status: invoice.Paid, lines: lines(line("Repair of a table", "h", "1.25", "58"))},
			}},
		},
	},
	{
		owner:      jonas,
		attributes: company("Shipyard Thode", "werft@thode.example", "+49 4841 555 017", "Werftweg 1, 25813 Husum"),
		contacts:   []contact.Attributes{somebody("Boy Thode", "Master shipwright", "boy@thode.example")},
		deals:      []dealData{{name: "Cabin fittings for a cutter", kind: furnishing, status: lost}},
	},
	{
		owner:      mira,
		attributes: company("Music School Horn", "info@musikhorn.example", "+49 431 555 0118", "Ringstraße 30, 24114 Kiel"),
		deals: []dealData{
			{name: "Forty music stands", kind: rental, status: won, invoices: []invoiceData{
				{performer: rentals, kind: plain, daysAgo: 2, status: invoice.NotPaid, lines: lines(line("Music stand, per month", "month", "3", "88.40"))},
			}},
		},
	},
	{
		owner:      mira,
		attributes: person("Anna Lindqvist", "anna@lindqvist.example", "+46 40 555 014", "Collects Danish chairs."),
		contacts:   []contact.Attributes{somebody("Per Lindqvist", "Husband", "per@lindqvist.example")},
		deals: []dealData{
			{name: "A chair of 1958", kind: repair, status: won, invoices: []invoiceData{
				{performer: workshop, kind: plain, daysAgo: 20, status: invoice.Paid, lines: lines(
					line("Restoring", "h", "6.75", "62"), line("Cane seat", "pcs", "1", "140"))},
			}},
		},
	},
	{
		owner:      jonas,
		attributes: person("Emil Thomsen", "emil@thomsen.example", "+49 4621 555 022", "Calls in the evening only."),
		deals: []dealData{
			{name: "Bed with drawers", kind: furnishing, status: offerMade, offers: []documentData{{daysAgo: 8, notice: "Mattress not included."}}},
		},
	},
	{
		owner:      jonas,
		attributes: person("Clara Reis", "clara@reis.example", "", ""),
		deals: []dealData{
			{name: "Tables for a wedding", kind: rental, status: won, invoices: []invoiceData{
				{performer: rentals, kind: plain, daysAgo: 7, status: invoice.NotPaid, notice: "To be returned on Monday.", lines: lines(
					line("Table, 180 cm", "pcs", "14", "12.50"), line("Bench", "pcs", "28", "4.75"), line("Discount", "", "-1", "25"))},
			}},
		},
	},
	{
		owner:      mira,
		attributes: person("Yusuf Demir", "yusuf@demir.example", "+49 431 555 0122", "Kitchen measured in spring."),
		deals:      []dealData{{name: "Kitchen in ash", kind: furnishing, status: isNew}},
	},
}

var inquiry = dealData{
	name: "Inquiry from the trade fair", kind: furnishing, status: isNew,
	contacts: []contact.Attributes{somebody("Pia Nowak", "Architect", "pia@nowak.example")},
}

func some(s string) optional.Of[string] { return optional.Some(s) }

func colleague(username, fname, lname, email string, role user.Role) user.Attributes {
	return user.Attributes{
		Username: some(username), FirstName: some(fname), LastName: some(lname),
		Email: some(email), Role: optional.Some(role),
	}
}

func company(name, email, phone, address string) client.Attributes {
	return client.Attributes{
		Type: optional.Some(client.Company), Name: some(name), Email: some(email), Phone: some(phone), CompanyAddress: some(address),
	}
}

func person(name, email, phone, description string) client.Attributes {
	return client.Attributes{
		Type: optional.Some(client.Person), Name: some(name), Email: some(email), Phone: some(phone), Description: some(description),
	}
}

func somebody(name, rank, email string) contact.Attributes {
	return contact.Attributes{Name: some(name), Rank: some(rank), Email: some(email)}
}

func lines(all ...invoice.LineAttributes) []invoice.LineAttributes { return all }

func line(name, units, count, price string) invoice.LineAttributes {
	return invoice.LineAttributes{
		Name: some(name), Units: some(units),
		Count: optional.Some(exactly(money.ParseQuantity(count))), Price: optional.Some(exactly(money.ParseAmount(price))),
	}
}

// exactly is for the numbers written in this file: one that does not parse
// is a mistake in it, found at the first start.
func exactly[T any](n T, err error) T {
	if err != nil {
		panic(err)
	}
	return n
}
