package data

import (
	"fmt"
	"strings"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
)

// Admin is the username of the first user, an administrator; the others are
// managers, and the last of them viewers.
const Admin = "admin"

// viewers is how many users have the role viewer.
const viewers = 5

// writers is how many users have clients and issue invoices.
const writers = Users - viewers

func some(s string) optional.Of[string] { return optional.Some(s) }

// makeLists makes the referenced records. Their ids are their places, counted
// from 1.
func (b *Company) makeLists() error {
	for _, list := range []func() error{b.makeUsers, b.makeStatuses, b.makeTypes, b.makePerformers, b.makeProducts} {
		if err := list(); err != nil {
			return err
		}
	}
	return nil
}

func (b *Company) makeUsers() error {
	for n := range uint64(Users) {
		d := b.random(ofUser, n)
		given, family := pick(&d, givenNames), pick(&d, families)
		name, role := fmt.Sprintf("%s.%s%d", plain(given)[:1], plain(family), n), user.Manager
		switch {
		case n == 0:
			name, role = Admin, user.Admin
		case n >= writers:
			role = user.Viewer
		}
		u, err := user.New(user.Attributes{
			Username: some(name), FirstName: some(given), LastName: some(family),
			Email: some(name + "@kontor.example"), Role: optional.Some(role),
		}, b.opened())
		if err != nil {
			return fmt.Errorf("user %s: %w", name, err)
		}
		b.users = append(b.users, u)
	}
	return nil
}

func (b *Company) makeStatuses() error {
	for i, name := range []string{"New", "Offer made", "In talks", "Won", "Delivered", "Lost"} {
		colors := []string{"#1e90ff", "#f0ad4e", "#8a2be2", "#2e8b57", "#556b2f", "#9e9e9e"}
		s, err := catalog.NewStatus(catalog.StatusAttributes{
			Name: some(name), Color: some(colors[i]), Default: optional.Some(i == 0),
		})
		if err != nil {
			return fmt.Errorf("status %s: %w", name, err)
		}
		b.statuses = append(b.statuses, s)
	}
	return nil
}

func (b *Company) makeTypes() error {
	for _, name := range []string{"Sale", "Project", "Rental", "Repair", "Consulting"} {
		t, err := catalog.NewLabel[catalog.DealTypeID](catalog.LabelAttributes{Name: some(name)})
		if err != nil {
			return fmt.Errorf("deal type %s: %w", name, err)
		}
		b.dealTypes = append(b.dealTypes, t)
	}
	for _, name := range []string{"Invoice", "Advance invoice", "Final invoice", "Credit note"} {
		t, err := catalog.NewLabel[catalog.InvoiceTypeID](catalog.LabelAttributes{Name: some(name)})
		if err != nil {
			return fmt.Errorf("invoice type %s: %w", name, err)
		}
		b.invoiceTypes = append(b.invoiceTypes, t)
	}
	return nil
}

func (b *Company) makePerformers() error {
	rates := []string{"19", "20", "7", "", "21", "25", "8.1", "5.5", "22", ""}
	for n := range Performers {
		city := cities[n][strings.LastIndexByte(cities[n], ' ')+1:]
		name := fmt.Sprintf("Kontor %02d %s", n+1, city)
		rate := rates[n%len(rates)]
		percent, err := money.ParsePercent("0" + rate)
		if err != nil {
			return fmt.Errorf("VAT of performer %s: %w", name, err)
		}
		p, err := performer.New(performer.Attributes{
			Name: some(name), CompanyName: some(name + " GmbH"), CompanyAddress: some(streets[n] + " 1, " + cities[n]),
			RealAddress: some(streets[n] + " 1a, " + cities[n]), BankDetails: some(account(uint64(n))),
			Leader: some(givenNames[n] + " " + families[n]), LeaderRank: some("Managing director"), Booker: some(givenNames[n+20] + " " + families[n+20]),
			Phone: some(fmt.Sprintf("+49 40 555 %04d", n)), Email: some(fmt.Sprintf("office%d@kontor.example", n+1)),
			VATUse: optional.Some(rate != ""), VATPercent: optional.Some(percent),
		}, b.opened())
		if err != nil {
			return fmt.Errorf("performer %s: %w", name, err)
		}
		b.performers = append(b.performers, p)
	}
	return nil
}

// account is a made-up bank account.
func account(n uint64) string {
	return fmt.Sprintf("IBAN DE%02d %04d %04d %04d", n%89+10, n%9000+1000, n/7%10000, n*13%10000)
}
