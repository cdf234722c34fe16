package derive

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/payment"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/repository"
)

// ChangeLog returns what the log of changes says of these: one entry for each change of a record, of an update with
// the attributes that differ. Personal data, which may be in any text that a person has written, has no values in it.
func ChangeLog(changes repository.Changes) (entries []repository.LoggedChange) {
	entries = logged(entries, "client", changes.Clients, clientLog)
	entries = logged(entries, "contact", changes.Contacts, contactLog)
	entries = logged(entries, "payment", changes.Payments, paymentLog)
	entries = logged(entries, "deal", changes.Deals, dealLog)
	entries = logged(entries, "invoice", changes.Invoices, invoiceLog)
	entries = logged(entries, "performer", changes.Performers, performerLog)
	for _, owner := range changes.Parties {
		e := repository.LoggedChange{
			Resource: "client", RecordID: int64(owner.Client), Action: "update", Attributes: []repository.LoggedAttribute{{Name: "party"}},
		}
		if owner.Performer != 0 {
			e.Resource, e.RecordID = "performer", int64(owner.Performer)
		}
		entries = append(entries, e)
	}
	return entries
}

// logOf is what the log knows of a kind of records: the id, and the attributes in their order.
type logOf[S any] struct {
	id         func(s *S) int64
	attributes []loggedAttribute[S]
}

type loggedAttribute[S any] struct {
	name string
	text func(s *S) string // "" is null
	data func(s *S) any    // of one without values in the log
}

// shown is an attribute with its values in the log, hidden one without.
func shown[S any](name string, text func(s *S) string) loggedAttribute[S] {
	return loggedAttribute[S]{name: name, text: text}
}

func hidden[S any](name string, data func(s *S) any) loggedAttribute[S] {
	return loggedAttribute[S]{name: name, data: data}
}

func logged[S any](
	entries []repository.LoggedChange, resource string, changes []repository.Change[S], of logOf[S],
) []repository.LoggedChange {
	for _, c := range of.merged(changes) {
		e := repository.LoggedChange{Resource: resource, Cause: c.Reaction}
		switch {
		case c.Before == nil:
			e.Action, e.RecordID = "create", of.id(c.After)
		case c.After == nil:
			e.Action, e.RecordID = "delete", of.id(c.Before)
		default:
			e.Action, e.RecordID = "update", of.id(c.After)
			if e.Attributes = of.differing(c.Before, c.After); len(e.Attributes) == 0 {
				continue
			}
		}
		entries = append(entries, e)
	}
	return entries
}

// merged returns the changes with one for each record and cause: from the state before the first to that after the last.
func (of logOf[S]) merged(changes []repository.Change[S]) (all []repository.Change[S]) {
	type key struct {
		id       int64
		reaction string
	}
	at := map[key]int{}
	for _, c := range changes {
		k := key{of.id(cmp.Or(c.After, c.Before)), c.Reaction}
		if i, ok := at[k]; ok {
			all[i].After = c.After
			continue
		}
		at[k] = len(all)
		all = append(all, c)
	}
	return slices.DeleteFunc(all, func(c repository.Change[S]) bool { return c.Before == nil && c.After == nil })
}

func (of logOf[S]) differing(before, after *S) (all []repository.LoggedAttribute) {
	for _, a := range of.attributes {
		if a.text == nil {
			if !reflect.DeepEqual(a.data(before), a.data(after)) {
				all = append(all, repository.LoggedAttribute{Name: a.name})
			}
			continue
		}
		if was, is := a.text(before), a.text(after); was != is {
			all = append(all, repository.LoggedAttribute{Name: a.name, Old: was, New: is})
		}
	}
	return all
}

func number[N ~int | ~int64 | ~uint8](n N) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(int64(n), 10)
}

func unlessZero[N interface {
	IsZero() bool
	String() string
}](n N) string {
	if n.IsZero() {
		return ""
	}
	return n.String()
}

func day(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.DateTime)
}

var clientLog = logOf[client.State]{
	id: func(s *client.State) int64 { return int64(s.ID) },
	attributes: []loggedAttribute[client.State]{
		shown("user", func(s *client.State) string { return number(s.UserID) }),
		hidden("name", func(s *client.State) any { return s.Name }),
		hidden("email", func(s *client.State) any { return s.Email }),
		hidden("phone", func(s *client.State) any { return s.Phone }),
		hidden("real_address", func(s *client.State) any { return s.RealAddress }),
		hidden("description", func(s *client.State) any { return s.Description }),
		hidden("company_address", func(s *client.State) any { return s.CompanyAddress }),
		hidden("bank_details", func(s *client.State) any { return s.BankDetails }),
		hidden("person_details", func(s *client.State) any { return s.PersonDetails }),
		hidden("ref", func(s *client.State) any { return s.Ref }),
		hidden("erased_on", func(s *client.State) any { return s.ErasedOn }),
	},
}

var contactLog = logOf[contact.State]{
	id: func(s *contact.State) int64 { return int64(s.ID) },
	attributes: []loggedAttribute[contact.State]{
		hidden("name", func(s *contact.State) any { return s.Name }),
		hidden("phone", func(s *contact.State) any { return s.Phone }),
		hidden("mobile", func(s *contact.State) any { return s.Mobile }),
		hidden("email", func(s *contact.State) any { return s.Email }),
		hidden("rank", func(s *contact.State) any { return s.Rank }),
		shown("client_id", func(s *contact.State) string { id, _ := s.Link.Client(); return number(id) }),
		shown("deal_id", func(s *contact.State) string { id, _ := s.Link.Deal(); return number(id) }),
		hidden("ref", func(s *contact.State) any { return s.Ref }),
	},
}

var paymentLog = logOf[payment.State]{
	id: func(s *payment.State) int64 { return int64(s.ID) },
	attributes: []loggedAttribute[payment.State]{
		shown("performer_id", func(s *payment.State) string { return number(s.PerformerID) }),
		shown("client_id", func(s *payment.State) string { return number(s.ClientID) }),
		shown("date", func(s *payment.State) string { return day(s.Date) }),
		shown("amount", func(s *payment.State) string { return s.Amount.String() }),
		shown("left", func(s *payment.State) string { return s.Left.String() }),
		hidden("method", func(s *payment.State) any { return s.Method }),
		hidden("reference", func(s *payment.State) any { return s.Reference }),
		hidden("notice", func(s *payment.State) any { return s.Notice }),
		hidden("ref", func(s *payment.State) any { return s.Ref }),
		hidden("items", func(s *payment.State) any { return s.Items }),
	},
}

var dealLog = logOf[deal.State]{
	id: func(s *deal.State) int64 { return int64(s.ID) },
	attributes: []loggedAttribute[deal.State]{
		hidden("name", func(s *deal.State) any { return s.Name }),
		shown("client_id", func(s *deal.State) string { return number(s.ClientID) }),
		shown("user", func(s *deal.State) string { return number(s.UserID) }),
		shown("type_id", func(s *deal.State) string { return number(s.TypeID) }),
		shown("status_id", func(s *deal.State) string { return number(s.StatusID) }),
		hidden("ref", func(s *deal.State) any { return s.Ref }),
	},
}

var invoiceLog = logOf[invoice.State]{
	id: func(s *invoice.State) int64 { return int64(s.ID) },
	attributes: []loggedAttribute[invoice.State]{
		shown("user", func(s *invoice.State) string { return number(s.UserID) }),
		shown("number", func(s *invoice.State) string { return s.Number }),
		shown("date", func(s *invoice.State) string { return day(s.Date) }),
		shown("due_date", func(s *invoice.State) string { return day(s.DueDate) }),
		shown("discount_percent_early", func(s *invoice.State) string { return unlessZero(s.EarlyRate) }),
		shown("discount_until", func(s *invoice.State) string { return day(s.EarlyUntil) }),
		shown("performer_id", func(s *invoice.State) string { return number(s.PerformerID) }),
		shown("client_id", func(s *invoice.State) string { return number(s.ClientID) }),
		shown("deal_id", func(s *invoice.State) string { return number(s.DealID) }),
		shown("type_id", func(s *invoice.State) string { return number(s.TypeID) }),
		shown("status_id", func(s *invoice.State) string { return number(s.Status) }),
		hidden("notice", func(s *invoice.State) any { return s.Notice }),
		hidden("terms", func(s *invoice.State) any { return s.Trade }),
		shown("discount_percent", func(s *invoice.State) string { return s.Discount.String() }),
		hidden("adjustments", func(s *invoice.State) any { return s.Adjustments }),
		shown("currency", func(s *invoice.State) string { return s.Currency }),
		shown("exchange_rate", func(s *invoice.State) string { return unlessZero(s.Exchange) }),
		shown("total_count", func(s *invoice.State) string { return strconv.Itoa(s.TotalCount) }),
		shown("total_price", func(s *invoice.State) string { return s.TotalPrice.String() }),
		shown("vat_price", func(s *invoice.State) string { return s.VATPrice.String() }),
		shown("pay_price", func(s *invoice.State) string { return s.PayPrice.String() }),
		shown("paid_price", func(s *invoice.State) string { return s.PaidPrice.String() }),
		shown("waived_price", func(s *invoice.State) string { return s.WaivedPrice.String() }),
		hidden("issued_on", func(s *invoice.State) any { return s.IssuedOn }),
		hidden("ref", func(s *invoice.State) any { return s.Ref }),
		hidden("items", func(s *invoice.State) any { return s.Lines }),
	},
}

var performerLog = logOf[performer.State]{
	id: func(s *performer.State) int64 { return int64(s.ID) },
	attributes: []loggedAttribute[performer.State]{
		shown("status", func(s *performer.State) string { return strconv.Itoa(int(s.Status)) }),
		hidden("name", func(s *performer.State) any { return s.Name }),
		hidden("company_name", func(s *performer.State) any { return s.CompanyName }),
		hidden("company_address", func(s *performer.State) any { return s.CompanyAddress }),
		hidden("real_address", func(s *performer.State) any { return s.RealAddress }),
		hidden("bank_details", func(s *performer.State) any { return s.BankDetails }),
		hidden("company_details", func(s *performer.State) any { return s.CompanyDetails }),
		hidden("leader", func(s *performer.State) any { return s.Leader }),
		hidden("leader_rank", func(s *performer.State) any { return s.LeaderRank }),
		hidden("booker", func(s *performer.State) any { return s.Booker }),
		hidden("phone", func(s *performer.State) any { return s.Phone }),
		hidden("email", func(s *performer.State) any { return s.Email }),
		hidden("vat", func(s *performer.State) any { return s.Terms }),
		hidden("stamp_file", func(s *performer.State) any { return s.StampFile }),
		hidden("leader_sig_file", func(s *performer.State) any { return s.LeaderSigFile }),
		hidden("booker_sig_file", func(s *performer.State) any { return s.BookerSigFile }),
		hidden("logo", func(s *performer.State) any { return s.Logo }),
		hidden("ref", func(s *performer.State) any { return s.Ref }),
	},
}
