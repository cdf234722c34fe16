package data

import (
	"fmt"
	"strings"

	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
)

// client is the n-th client, counted from 0.
func (b *Company) client(n uint64) (client.State, error) {
	d := b.random(ofClient, n)
	since := b.moment(ofClient, n, b.count.clients)
	last, version := changes(&d, since)
	c, err := client.New(b.owner(n), b.clientAttributes(&d, n), b.calendar.at(since))
	if err != nil {
		return client.State{}, fmt.Errorf("client %d: %w", n+1, err)
	}
	s := c.State()
	s.ID, s.Version, s.UpdatedAt = client.ID(n+1), version, b.calendar.at(last)
	return s, nil
}

// owner is the responsible user of the n-th client.
func (b *Company) owner(n uint64) user.ID {
	d := b.random(ofOwner, n)
	return user.ID(1 + d.skewed(writers, steep))
}

func (b *Company) clientAttributes(d *random, n uint64) client.Attributes {
	words := b.searchWords(d, n)
	family := pick(d, families)
	a := client.Attributes{
		Type:        optional.Some(client.Company),
		RealAddress: some(address(d)),
	}
	mailbox := "Office"
	if len(words) == 0 && d.percent(30) {
		given := pick(d, givenNames)
		a.Type = optional.Some(client.Person)
		a.Name = some(given + " " + family)
		mailbox = plain(given)
		if d.percent(60) {
			a.PersonDetails = some(fmt.Sprintf("Identity card L%07d", d.below(10_000_000)))
		}
	} else {
		a.Name = some(companyName(d, family, words))
		a.CompanyAddress = some(address(d))
		if d.percent(70) {
			a.BankDetails = some(account(d.below(1 << 40)))
		}
	}
	if d.percent(80) {
		a.Email = some(fmt.Sprintf("%s@%s-%d.example", mailbox, plain(family), n+1))
	}
	if d.percent(85) {
		a.Phone = some(phone(d))
	}
	if d.percent(40) {
		a.Description = some(pick(d, remarks) + " " + pick(d, remarks))
	}
	return a
}

// searchWords are the search words in the name of the n-th client. The 25 rare
// ones are at even distances.
func (b *Company) searchWords(d *random, n uint64) (words []string) {
	if d.below(1000) < 43 {
		words = append(words, CommonWord)
	}
	if all := b.count.clients; n*25/all != (n+1)*25/all {
		words = append(words, RareWord)
	}
	return words
}

func companyName(d *random, family string, words []string) string {
	name := []string{family}
	if d.percent(35) {
		name = append(name, "&", pick(d, families))
	}
	if len(words) == 0 {
		words = []string{pick(d, trades)}
	}
	name = append(append(name, words...), pick(d, legalForms))
	return strings.Join(name, " ")
}

func address(d *random) string {
	return fmt.Sprintf("%s %d, %s", pick(d, streets), 1+d.below(180), pick(d, cities))
}

func phone(d *random) string {
	return fmt.Sprintf("+%d %d %d", 30+d.below(20), 10+d.below(990), 100_000+d.below(9_900_000))
}

// contact is the n-th contact: of any client, or, for a few, of a deal without a
// client.
func (b *Company) contact(n uint64) (contact.State, error) {
	d := b.random(ofContact, n)
	link := contact.ToClient(client.ID(1 + d.below(b.count.clients)))
	if d.percent(3) {
		if id := b.prospectBefore(d.below(b.count.deals)); id != 0 {
			link = contact.ToDeal(id)
		}
	}
	given, family := pick(&d, givenNames), pick(&d, families)
	a := contact.Attributes{Name: some(given + " " + family)}
	if d.percent(70) {
		a.Phone = some(phone(&d))
	}
	if d.percent(60) {
		a.Mobile = some(phone(&d))
	}
	if d.percent(75) {
		a.Email = some(fmt.Sprintf("%s.%s.%d@post.example", plain(given), plain(family), n+1))
	}
	if d.percent(65) {
		a.Rank = some(pick(&d, positions))
	}
	c, err := contact.New(link, a)
	if err != nil {
		return contact.State{}, fmt.Errorf("contact %d: %w", n+1, err)
	}
	s := c.State()
	s.ID, s.Version = contact.ID(n+1), 1+int64(d.below(2))
	return s, nil
}
