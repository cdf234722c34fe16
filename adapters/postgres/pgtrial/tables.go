package pgtrial

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
)

// column is a column of a table, which some attributes need.
type column[S any] struct {
	attributes string // space-separated; none: it is needed only if all are
	sql        string
	set        func(s *S, v value) error
}

type layout interface {
	// read is the statement that reads a page of records with the attributes, and what
	// reads its rows.
	read(attributes []string) (sql string, decode decoder, err error)
	name() string
}

type decoder func(row [][]byte) (state any, err error)

type table[S any] struct {
	sql     string
	setID   func(s *S, id int64)
	columns []column[S]
}

func (t table[S]) name() string { return t.sql }

// slab is the number of states that are allocated together.
const slab = 256

func (t table[S]) read(attributes []string) (sql string, decode decoder, err error) {
	names := []string{"id"}
	var set []func(s *S, v value) error
	known := []string{"id", repository.AllAttributes}
	all := slices.Contains(attributes, repository.AllAttributes)
	for _, c := range t.columns {
		own := strings.Fields(c.attributes)
		known = append(known, own...)
		if all || slices.ContainsFunc(own, func(a string) bool { return slices.Contains(attributes, a) }) {
			names, set = append(names, c.sql), append(set, c.set)
		}
	}
	for _, a := range attributes {
		if !slices.Contains(known, a) {
			return "", nil, fmt.Errorf("the attribute %s of %s cannot be read", a, t.sql)
		}
	}
	var free []S
	decode = func(row [][]byte) (any, error) {
		if len(free) == 0 {
			free = make([]S, slab)
		}
		s := &free[0]
		free = free[1:]
		t.setID(s, integer[int64](row[0]))
		for i, set := range set {
			if err := set(s, row[i+1]); err != nil {
				return nil, err
			}
		}
		return s, nil
	}
	return "select " + strings.Join(names, ", ") + "\nfrom " + t.sql + "\nwhere id > $1\norder by id\nlimit $2", decode, nil
}

// attribute returns a column of one attribute of the same name.
func attribute[S any](name string, set func(s *S, v value)) column[S] {
	return attributes(name, name, set)
}

// attributes returns a column of one or more attributes.
func attributes[S any](attributes, sql string, set func(s *S, v value)) column[S] {
	return column[S]{attributes, sql, func(s *S, v value) error { set(s, v); return nil }}
}

var tables = map[string]layout{
	"client":       clients,
	"contact":      contacts,
	"contract":     documents[document.ContractID]("contracts"),
	"deal":         deals,
	"deal-type":    labels[catalog.DealTypeID]("deal_types", "name"),
	"invoice":      invoices,
	"invoice-type": labels[catalog.InvoiceTypeID]("invoice_types", "title"),
	"offer":        documents[document.OfferID]("offers"),
	"performer":    performers,
	"status":       statuses,
	"user":         users,
}

var clients = table[client.State]{
	"clients",
	func(s *client.State, id int64) { s.ID = client.ID(id) },
	[]column[client.State]{
		attributes("user user_id", "user_id", func(s *client.State, v value) { s.UserID = integer[user.ID](v) }),
		attribute("name", func(s *client.State, v value) { s.Name = text(v) }),
		attribute("type", func(s *client.State, v value) { s.Type = integer[client.Type](v) }),
		attribute("email", func(s *client.State, v value) { s.Email = text(v) }),
		attribute("phone", func(s *client.State, v value) { s.Phone = text(v) }),
		attribute("real_address", func(s *client.State, v value) { s.RealAddress = text(v) }),
		attribute("description", func(s *client.State, v value) { s.Description = text(v) }),
		attribute("company_address", func(s *client.State, v value) { s.CompanyAddress = text(v) }),
		attribute("bank_details", func(s *client.State, v value) { s.BankDetails = text(v) }),
		attribute("person_details", func(s *client.State, v value) { s.PersonDetails = text(v) }),
		attribute("created_at", func(s *client.State, v value) { s.CreatedAt = instant(v) }),
		attribute("updated_at", func(s *client.State, v value) { s.UpdatedAt = instant(v) }),
	},
}

var contacts = table[contact.State]{
	"contacts",
	func(s *contact.State, id int64) { s.ID = contact.ID(id) },
	[]column[contact.State]{
		attribute("name", func(s *contact.State, v value) { s.Name = text(v) }),
		attribute("phone", func(s *contact.State, v value) { s.Phone = text(v) }),
		attribute("mobile", func(s *contact.State, v value) { s.Mobile = text(v) }),
		attribute("email", func(s *contact.State, v value) { s.Email = text(v) }),
		attribute("rank", func(s *contact.State, v value) { s.Rank = text(v) }),
		attribute("client_id", func(s *contact.State, v value) {
			if v != nil {
				s.Link = contact.ToClient(integer[client.ID](v))
			}
		}),
		attribute("deal_id", func(s *contact.State, v value) {
			if v != nil {
				s.Link = contact.ToDeal(integer[deal.ID](v))
			}
		}),
	},
}

var deals = table[deal.State]{
	"deals",
	func(s *deal.State, id int64) { s.ID = deal.ID(id) },
	[]column[deal.State]{
		attribute("name", func(s *deal.State, v value) { s.Name = text(v) }),
		attribute("client_id", func(s *deal.State, v value) { s.ClientID = integer[client.ID](v) }),
		attributes("user user_id", "user_id", func(s *deal.State, v value) { s.UserID = integer[user.ID](v) }),
		attribute("type_id", func(s *deal.State, v value) { s.TypeID = integer[catalog.DealTypeID](v) }),
		attribute("status_id", func(s *deal.State, v value) { s.StatusID = integer[catalog.StatusID](v) }),
		attribute("created_at", func(s *deal.State, v value) { s.CreatedAt = instant(v) }),
		attribute("updated_at", func(s *deal.State, v value) { s.UpdatedAt = instant(v) }),
	},
}

func documents[ID document.Identifier](name string) layout {
	type state = document.State[ID]
	return table[state]{
		name,
		func(s *state, id int64) { s.ID = ID(id) },
		[]column[state]{
			attribute("deal_id", func(s *state, v value) { s.DealID = integer[deal.ID](v) }),
			attribute("number", func(s *state, v value) { s.Number = text(v) }),
			attribute("date", func(s *state, v value) { s.Date = instant(v) }),
			attribute("notice", func(s *state, v value) { s.Notice = text(v) }),
			attribute("created_on", func(s *state, v value) { s.CreatedOn = instant(v) }),
		},
	}
}

func labels[ID catalog.LabelID](name, attribute string) layout {
	type state = catalog.LabelState[ID]
	return table[state]{
		name,
		func(s *state, id int64) { s.ID = ID(id) },
		[]column[state]{attributes(attribute, "name", func(s *state, v value) { s.Name = text(v) })},
	}
}

var invoices = table[invoice.State]{
	"invoices",
	func(s *invoice.State, id int64) { s.ID = invoice.ID(id) },
	[]column[invoice.State]{
		attribute("user_id", func(s *invoice.State, v value) { s.UserID = integer[user.ID](v) }),
		attribute("number", func(s *invoice.State, v value) { s.Number = text(v) }),
		attribute("date", func(s *invoice.State, v value) { s.Date = instant(v) }),
		attribute("performer_id", func(s *invoice.State, v value) { s.PerformerID = integer[performer.ID](v) }),
		attribute("client_id", func(s *invoice.State, v value) { s.ClientID = integer[client.ID](v) }),
		attribute("deal_id", func(s *invoice.State, v value) { s.DealID = integer[deal.ID](v) }),
		attribute("type_id", func(s *invoice.State, v value) { s.TypeID = integer[catalog.InvoiceTypeID](v) }),
		attributes("status_id paid closed", "status", func(s *invoice.State, v value) { s.Status = integer[invoice.Status](v) }),
		attribute("notice", func(s *invoice.State, v value) { s.Notice = text(v) }),
		attributes("total_count items", "total_count", func(s *invoice.State, v value) { s.TotalCount = integer[int](v) }),
		attributes("items", "text_bytes", func(s *invoice.State, v value) { s.TextBytes = integer[int](v) }),
		{"total_price", "total_price::text", func(s *invoice.State, v value) error { return amount(&s.TotalPrice, v) }},
		{"vat_price", "vat_price::text", func(s *invoice.State, v value) error { return amount(&s.VATPrice, v) }},
		{"pay_price", "pay_price::text", func(s *invoice.State, v value) error { return amount(&s.PayPrice, v) }},
		attributes("", "vat_use", func(s *invoice.State, v value) { s.Terms.VATUse = boolean(v) }),
		{"", "vat_percent::text", func(s *invoice.State, v value) error {
			return decimal(&s.Terms.VATPercent, v, money.ParsePercent)
		}},
		attribute("created_on", func(s *invoice.State, v value) { s.CreatedOn = instant(v) }),
		attribute("paid_on", func(s *invoice.State, v value) { s.PaidOn = instant(v) }),
		attribute("updated_on", func(s *invoice.State, v value) { s.UpdatedOn = instant(v) }),
	},
}

var performers = table[performer.State]{
	"performers",
	func(s *performer.State, id int64) { s.ID = performer.ID(id) },
	[]column[performer.State]{
		attribute("status", func(s *performer.State, v value) { s.Status = integer[int32](v) }),
		attribute("name", func(s *performer.State, v value) { s.Name = text(v) }),
		attribute("company_name", func(s *performer.State, v value) { s.CompanyName = text(v) }),
		attribute("company_address", func(s *performer.State, v value) { s.CompanyAddress = text(v) }),
		attribute("real_address", func(s *performer.State, v value) { s.RealAddress = text(v) }),
		attribute("bank_details", func(s *performer.State, v value) { s.BankDetails = text(v) }),
		attribute("company_details", func(s *performer.State, v value) { s.CompanyDetails = text(v) }),
		attribute("leader", func(s *performer.State, v value) { s.Leader = text(v) }),
		attribute("leader_rank", func(s *performer.State, v value) { s.LeaderRank = text(v) }),
		attribute("booker", func(s *performer.State, v value) { s.Booker = text(v) }),
		attribute("phone", func(s *performer.State, v value) { s.Phone = text(v) }),
		attribute("email", func(s *performer.State, v value) { s.Email = text(v) }),
		attribute("vat_use", func(s *performer.State, v value) { s.Terms.VATUse = boolean(v) }),
		{"vat_percent", "vat_percent::text", func(s *performer.State, v value) error {
			return decimal(&s.Terms.VATPercent, v, money.ParsePercent)
		}},
		attribute("stamp_file", func(s *performer.State, v value) { s.StampFile = text(v) }),
		attribute("leader_sig_file", func(s *performer.State, v value) { s.LeaderSigFile = text(v) }),
		attribute("booker_sig_file", func(s *performer.State, v value) { s.BookerSigFile = text(v) }),
		attribute("logo", func(s *performer.State, v value) { s.Logo = text(v) }),
		attribute("created_at", func(s *performer.State, v value) { s.CreatedAt = instant(v) }),
		attribute("updated_at", func(s *performer.State, v value) { s.UpdatedAt = instant(v) }),
	},
}

var statuses = table[catalog.StatusState]{
	"statuses",
	func(s *catalog.StatusState, id int64) { s.ID = catalog.StatusID(id) },
	[]column[catalog.StatusState]{
		attribute("name", func(s *catalog.StatusState, v value) { s.Name = text(v) }),
		attributes("default", "is_default", func(s *catalog.StatusState, v value) { s.Default = boolean(v) }),
		attribute("color", func(s *catalog.StatusState, v value) { s.Color = text(v) }),
	},
}

var users = table[user.State]{
	"users",
	func(s *user.State, id int64) { s.ID = user.ID(id) },
	[]column[user.State]{
		attributes("username name", "username", func(s *user.State, v value) { s.Username = text(v) }),
		attributes("fname name", "fname", func(s *user.State, v value) { s.FirstName = text(v) }),
		attributes("lname name", "lname", func(s *user.State, v value) { s.LastName = text(v) }),
		attribute("email", func(s *user.State, v value) { s.Email = text(v) }),
		{"role", "role", func(s *user.State, v value) (err error) { s.Role, err = user.ParseRole(text(v)); return err }},
		attribute("disabled", func(s *user.State, v value) { s.Disabled = boolean(v) }),
		attribute("created_at", func(s *user.State, v value) { s.CreatedAt = instant(v) }),
		attribute("updated_at", func(s *user.State, v value) { s.UpdatedAt = instant(v) }),
	},
}
