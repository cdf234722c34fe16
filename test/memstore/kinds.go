package memstore

import (
	"maps"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
)

// data is everything that is stored. A new kind is a field here, a line in stores
// and a kind.
type data struct {
	users        table[user.ID, user.State]
	tokens       table[token.ID, token.State]
	statuses     table[catalog.StatusID, catalog.StatusState]
	dealTypes    table[catalog.DealTypeID, catalog.LabelState[catalog.DealTypeID]]
	invoiceTypes table[catalog.InvoiceTypeID, catalog.LabelState[catalog.InvoiceTypeID]]
	performers   table[performer.ID, performer.State]
	clients      table[client.ID, client.State]
	contacts     table[contact.ID, contact.State]
	deals        table[deal.ID, deal.State]
	offers       table[document.OfferID, document.State[document.OfferID]]
	contracts    table[document.ContractID, document.State[document.ContractID]]
	invoices     table[invoice.ID, invoice.State]
	history      map[int64]repository.DealHistoryEntry // by id

	idempotencyKeys map[repository.IdempotencyKey]claimed

	rules      table[ruledef.ID, ruledef.State]
	ruleSet    int64 // the version
	violations []repository.Violation
}

func (u *unit) stores() repository.Stores {
	s := repository.Stores{
		Users:        &users{keep(u, &u.users, &u.changes.Users, userKind)},
		Tokens:       &tokens{keep(u, &u.tokens, new([]repository.Change[token.State]), tokenKind)},
		Statuses:     &statuses{keep(u, &u.statuses, &u.changes.Statuses, statusKind)},
		DealTypes:    keep(u, &u.dealTypes, &u.changes.DealTypes, labelKind[catalog.DealTypeID]("deal type")),
		InvoiceTypes: keep(u, &u.invoiceTypes, &u.changes.InvoiceTypes, labelKind[catalog.InvoiceTypeID]("invoice type")),
		Performers:   keep(u, &u.performers, &u.changes.Performers, performerKind),
		Clients:      keep(u, &u.clients, &u.changes.Clients, clientKind),
		Contacts:     &contacts{keep(u, &u.contacts, &u.changes.Contacts, contactKind)},
		Deals:        &deals{keep(u, &u.deals, &u.changes.Deals, dealKind)},
		Offers:       keep(u, &u.offers, &u.changes.Offers, documentKind[document.OfferID]("offer")),
		Contracts:    keep(u, &u.contracts, &u.changes.Contracts, documentKind[document.ContractID]("contract")),
		Invoices:     &invoices{keep(u, &u.invoices, &u.changes.Invoices, invoiceKind)},

		IdempotencyKeys: idempotencyKeys{u},
		View:            view{},
		Facts:           facts{u},
	}
	s.Rules = &rules{keep(u, &u.rules, new([]repository.Change[ruledef.State]), ruleKind)}
	s.References = references{u, s.Deals}
	u.history, u.idempotencyKeys = maps.Clone(u.history), maps.Clone(u.idempotencyKeys)
	u.checks = append(u.checks, u.checkHistory)
	return s
}

// The ranks, in the order of locks.
const (
	rankUser = 1 + iota
	rankStatus
	rankClient
	rankDeal
	rankInvoice
	rankContact
)

var userKind = kind[user.ID, *user.User, user.State]{
	name:     "user",
	rank:     rankUser,
	identity: func(s *user.State) (*user.ID, *int64) { return &s.ID, &s.Version },
	restore:  user.Restore,
	same:     equal[user.State],
	unique: func(d *data, s user.State) error {
		_, taken := d.users.find(func(other user.State) bool {
			return other.ID != s.ID && textkey.Of(other.Username) == textkey.Of(s.Username)
		})
		if !taken {
			return nil
		}
		return fault.ForField(fault.Invalid, "username", "belongs to another user")
	},
}

var tokenKind = kind[token.ID, *token.Token, token.State]{
	name:     "token",
	rank:     anywhere,
	identity: func(s *token.State) (*token.ID, *int64) { return &s.ID, new(int64) },
	restore:  token.Restore,
	same:     equal[token.State],
	unique: func(d *data, s token.State) error {
		_, taken := d.tokens.find(func(other token.State) bool { return other.ID != s.ID && other.PublicID == s.PublicID })
		if !taken {
			return nil
		}
		return fault.New(fault.Conflict, "the token's public id is taken")
	},
	refers: func(d *data, s token.State) []reference {
		return []reference{refersTo("user", d.users, s.UserID)}
	},
}

var statusKind = kind[catalog.StatusID, *catalog.Status, catalog.StatusState]{
	name:     "status",
	rank:     rankStatus,
	identity: func(s *catalog.StatusState) (*catalog.StatusID, *int64) { return &s.ID, &s.Version },
	restore:  catalog.RestoreStatus,
	same:     equal[catalog.StatusState],
	unique: func(d *data, s catalog.StatusState) error {
		_, taken := d.statuses.find(func(other catalog.StatusState) bool { return other.ID != s.ID && other.Default })
		if !s.Default || !taken {
			return nil
		}
		return fault.New(fault.Conflict, "another status is the default")
	},
}

func labelKind[ID catalog.LabelID](name string) kind[ID, *catalog.Label[ID], catalog.LabelState[ID]] {
	return kind[ID, *catalog.Label[ID], catalog.LabelState[ID]]{
		name:     name,
		rank:     anywhere,
		identity: func(s *catalog.LabelState[ID]) (*ID, *int64) { return &s.ID, &s.Version },
		restore:  catalog.RestoreLabel[ID],
		same:     equal[catalog.LabelState[ID]],
	}
}

var performerKind = kind[performer.ID, *performer.Performer, performer.State]{
	name:     "performer",
	rank:     anywhere,
	identity: func(s *performer.State) (*performer.ID, *int64) { return &s.ID, &s.Version },
	restore:  performer.Restore,
	same:     equal[performer.State],
}

var clientKind = kind[client.ID, *client.Client, client.State]{
	name:     "client",
	rank:     rankClient,
	identity: func(s *client.State) (*client.ID, *int64) { return &s.ID, &s.Version },
	restore:  client.Restore,
	same:     equal[client.State],
	refers: func(d *data, s client.State) []reference {
		return []reference{refersTo("user", d.users, s.UserID)}
	},
}

var contactKind = kind[contact.ID, *contact.Contact, contact.State]{
	name:     "contact",
	rank:     rankContact,
	identity: func(s *contact.State) (*contact.ID, *int64) { return &s.ID, &s.Version },
	restore:  contact.Restore,
	same:     equal[contact.State],
	refers: func(d *data, s contact.State) []reference {
		ofClient, _ := s.Link.Client()
		ofDeal, _ := s.Link.Deal()
		return []reference{refersTo("client_id", d.clients, ofClient), refersTo("deal_id", d.deals, ofDeal)}
	},
}

var dealKind = kind[deal.ID, *deal.Deal, deal.State]{
	name:     "deal",
	rank:     rankDeal,
	identity: func(s *deal.State) (*deal.ID, *int64) { return &s.ID, &s.Version },
	restore:  deal.Restore,
	same:     equal[deal.State],
	refers: func(d *data, s deal.State) []reference {
		return []reference{
			refersTo("client_id", d.clients, s.ClientID),
			refersTo("user", d.users, s.UserID),
			refersTo("type_id", d.dealTypes, s.TypeID),
			refersTo("status_id", d.statuses, s.StatusID),
		}
	},
}

func documentKind[ID document.Identifier](name string) kind[ID, *document.Document[ID], document.State[ID]] {
	return kind[ID, *document.Document[ID], document.State[ID]]{
		name:     name,
		rank:     anywhere,
		identity: func(s *document.State[ID]) (*ID, *int64) { return &s.ID, &s.Version },
		restore:  document.Restore[ID],
		same:     document.Same[ID],
		refers: func(d *data, s document.State[ID]) []reference {
			return []reference{refersTo("deal_id", d.deals, s.DealID)}
		},
	}
}

var invoiceKind = kind[invoice.ID, *invoice.Invoice, invoice.State]{
	name:     "invoice",
	rank:     rankInvoice,
	identity: func(s *invoice.State) (*invoice.ID, *int64) { return &s.ID, &s.Version },
	restore:  invoice.Restore,
	same:     invoice.Same,
	refers: func(d *data, s invoice.State) []reference {
		of, ok := d.deals.rows[s.DealID]
		return []reference{
			refersTo("user_id", d.users, s.UserID),
			refersTo("performer_id", d.performers, s.PerformerID),
			refersTo("client_id", d.clients, s.ClientID),
			{field: "deal_id", missing: !ok || of.ClientID != s.ClientID},
			refersTo("type_id", d.invoiceTypes, s.TypeID),
		}
	},
}

var ruleKind = kind[ruledef.ID, *ruledef.Rule, ruledef.State]{
	name:     "rule",
	rank:     anywhere,
	identity: func(s *ruledef.State) (*ruledef.ID, *int64) { return &s.ID, &s.Version },
	restore:  ruledef.Restore,
	same:     equal[ruledef.State],
	unique: func(d *data, s ruledef.State) error {
		_, taken := d.rules.find(func(other ruledef.State) bool { return other.ID != s.ID && other.Name == s.Name })
		if !taken {
			return nil
		}
		return fault.ForField(fault.Invalid, "name", "belongs to another rule")
	},
}

func equal[S comparable](a, b S) bool { return a == b }
