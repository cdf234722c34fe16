package expression

import (
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/payment"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
)

// resources are the kinds of the records that rules judge, by the name of the resource.
var resources = map[string]*kind{
	"client":       clientKind,
	"contact":      contactKind,
	"contract":     agreementKind[agreement.ContractID]("contract"),
	"deal":         dealKind,
	"deal-type":    labelKind[catalog.DealTypeID]("deal type", "name"),
	"invoice":      invoiceKind,
	"invoice-type": labelKind[catalog.InvoiceTypeID]("invoice type", "title"),
	"offer":        agreementKind[agreement.OfferID]("offer"),
	"payment":      paymentKind,
	"performer":    performerKind,
	"status":       statusKind,
	"user":         userKind,
}

var clientKind = newKind("client record",
	idOf("id", func(s *client.State) client.ID { return s.ID }),
	idOf("user", func(s *client.State) user.ID { return s.UserID }),
	idOf("user_id", func(s *client.State) user.ID { return s.UserID }),
	textOf("name", func(s *client.State) string { return s.Name }),
	intOf("type", func(s *client.State) client.Type { return s.Type }),
	textOf("email", func(s *client.State) string { return s.Email }),
	textOf("phone", func(s *client.State) string { return s.Phone }),
	textOf("real_address", func(s *client.State) string { return s.RealAddress }),
	textOf("description", func(s *client.State) string { return s.Description }),
	textOf("company_address", func(s *client.State) string { return s.CompanyAddress }),
	textOf("bank_details", func(s *client.State) string { return s.BankDetails }),
	textOf("person_details", func(s *client.State) string { return s.PersonDetails }),
	instantOf("created_at", func(s *client.State) time.Time { return s.CreatedAt }),
	instantOf("updated_at", func(s *client.State) time.Time { return s.UpdatedAt }),
	textOf("ref", func(s *client.State) string { return s.Ref }),
	partyOf(clientPartyKind, repository.ClientRecord, func(s *client.State) client.ID { return s.ID }),
)

var contactKind = newKind("contact record",
	idOf("id", func(s *contact.State) contact.ID { return s.ID }),
	textOf("name", func(s *contact.State) string { return s.Name }),
	textOf("phone", func(s *contact.State) string { return s.Phone }),
	textOf("mobile", func(s *contact.State) string { return s.Mobile }),
	textOf("email", func(s *contact.State) string { return s.Email }),
	textOf("rank", func(s *contact.State) string { return s.Rank }),
	optional(idOf("client_id", func(s *contact.State) client.ID { id, _ := s.Link.Client(); return id })),
	optional(idOf("deal_id", func(s *contact.State) deal.ID { id, _ := s.Link.Deal(); return id })),
	textOf("ref", func(s *contact.State) string { return s.Ref }),
)

var dealKind = newKind("deal record",
	idOf("id", func(s *deal.State) deal.ID { return s.ID }),
	textOf("name", func(s *deal.State) string { return s.Name }),
	optional(idOf("client_id", func(s *deal.State) client.ID { return s.ClientID })),
	idOf("user", func(s *deal.State) user.ID { return s.UserID }),
	idOf("user_id", func(s *deal.State) user.ID { return s.UserID }),
	optional(idOf("type_id", func(s *deal.State) catalog.DealTypeID { return s.TypeID })),
	idOf("status_id", func(s *deal.State) catalog.StatusID { return s.StatusID }),
	instantOf("created_at", func(s *deal.State) time.Time { return s.CreatedAt }),
	instantOf("updated_at", func(s *deal.State) time.Time { return s.UpdatedAt }),
	textOf("ref", func(s *deal.State) string { return s.Ref }),
)

func agreementKind[ID agreement.Identifier](name string) *kind {
	return newKind(name+" record",
		idOf("id", func(s *agreement.State[ID]) ID { return s.ID }),
		idOf("deal_id", func(s *agreement.State[ID]) deal.ID { return s.DealID }),
		textOf("number", func(s *agreement.State[ID]) string { return s.Number }),
		optional(dateOf("date", func(s *agreement.State[ID]) time.Time { return s.Date })),
		textOf("notice", func(s *agreement.State[ID]) string { return s.Notice }),
		instantOf("created_on", func(s *agreement.State[ID]) time.Time { return s.CreatedOn }),
	)
}

func labelKind[ID catalog.LabelID](name, label string) *kind {
	return newKind(name+" record",
		idOf("id", func(s *catalog.LabelState[ID]) ID { return s.ID }),
		textOf(label, func(s *catalog.LabelState[ID]) string { return s.Name }),
	)
}

var invoiceKind = newKind("invoice record",
	idOf("id", func(s *invoice.State) invoice.ID { return s.ID }),
	idOf("user_id", func(s *invoice.State) user.ID { return s.UserID }),
	textOf("number", func(s *invoice.State) string { return s.Number }),
	dateOf("date", func(s *invoice.State) time.Time { return s.Date }),
	optional(dateOf("due_date", func(s *invoice.State) time.Time { return s.DueDate })),
	optional(newAttribute("discount_percent_early", decimalType, func(r *record) ref.Val {
		if rate := r.state.(*invoice.State).EarlyRate; !rate.IsZero() {
			return decimal{rate.Number()}
		}
		return types.NullValue
	})),
	optional(dateOf("discount_until", func(s *invoice.State) time.Time { return s.EarlyUntil })),
	idOf("performer_id", func(s *invoice.State) performer.ID { return s.PerformerID }),
	idOf("client_id", func(s *invoice.State) client.ID { return s.ClientID }),
	optional(idOf("deal_id", func(s *invoice.State) deal.ID { return s.DealID })),
	idOf("type_id", func(s *invoice.State) catalog.InvoiceTypeID { return s.TypeID }),
	intOf("status_id", func(s *invoice.State) invoice.Status { return s.Status }),
	boolOf("paid", func(s *invoice.State) bool { return s.Status.Paid() }),
	boolOf("closed", func(s *invoice.State) bool { return s.Status.Closed() }),
	textOf("notice", func(s *invoice.State) string { return s.Notice }),
	numberOf("discount_percent", func(s *invoice.State) money.Number { return s.Discount.Number() }),
	newAttribute("adjustments", cel.ListType(adjustmentKind.typ), func(r *record) ref.Val {
		return listOf(r.in, adjustmentKind, r.state.(*invoice.State).Adjustments)
	}),
	textOf("currency", func(s *invoice.State) string { return s.Currency }),
	optional(newAttribute("exchange_rate", decimalType, func(r *record) ref.Val {
		if rate := r.state.(*invoice.State).Exchange; !rate.IsZero() {
			return decimal{rate.Number()}
		}
		return types.NullValue
	})),
	intOf("total_count", func(s *invoice.State) int { return s.TotalCount }),
	numberOf("total_price", func(s *invoice.State) money.Number { return s.TotalPrice.Number() }),
	numberOf("vat_price", func(s *invoice.State) money.Number { return s.VATPrice.Number() }),
	numberOf("pay_price", func(s *invoice.State) money.Number { return s.PayPrice.Number() }),
	numberOf("paid_price", func(s *invoice.State) money.Number { return s.PaidPrice.Number() }),
	numberOf("waived_price", func(s *invoice.State) money.Number { return s.WaivedPrice.Number() }),
	numberOf("due_price", func(s *invoice.State) money.Number { return s.Due().Number() }),
	instantOf("created_on", func(s *invoice.State) time.Time { return s.CreatedOn }),
	optional(instantOf("paid_on", func(s *invoice.State) time.Time { return s.PaidOn })),
	optional(instantOf("issued_on", func(s *invoice.State) time.Time { return s.IssuedOn })),
	optional(idOf("credits", func(s *invoice.State) invoice.ID { return s.Credits })),
	instantOf("updated_on", func(s *invoice.State) time.Time { return s.UpdatedOn }),
	newAttribute("items", cel.ListType(lineKind.typ), items),
	newAttribute("terms", termsKind.typ, func(r *record) ref.Val {
		return &record{kind: termsKind, state: &r.state.(*invoice.State).Trade, in: r.in}
	}),
	textOf("ref", func(s *invoice.State) string { return s.Ref }),
)

var termsKind = newKind("invoice terms",
	textOf("delivery_date", func(t *invoice.TradeTerms) string { return t.DeliveryDate }),
	textOf("period_from", func(t *invoice.TradeTerms) string { return t.PeriodFrom }),
	textOf("period_to", func(t *invoice.TradeTerms) string { return t.PeriodTo }),
	textOf("delivery_name", func(t *invoice.TradeTerms) string { return t.DeliveryName }),
	textOf("delivery_street", func(t *invoice.TradeTerms) string { return t.DeliveryStreet }),
	textOf("delivery_zip", func(t *invoice.TradeTerms) string { return t.DeliveryZip }),
	textOf("delivery_city", func(t *invoice.TradeTerms) string { return t.DeliveryCity }),
	textOf("delivery_country", func(t *invoice.TradeTerms) string { return t.DeliveryCountry }),
	textOf("order_reference", func(t *invoice.TradeTerms) string { return t.OrderReference }),
	textOf("sales_order", func(t *invoice.TradeTerms) string { return t.SalesOrder }),
	textOf("contract", func(t *invoice.TradeTerms) string { return t.Contract }),
	textOf("project", func(t *invoice.TradeTerms) string { return t.Project }),
	textOf("buyer_reference", func(t *invoice.TradeTerms) string { return t.BuyerReference }),
	textOf("payment_terms", func(t *invoice.TradeTerms) string { return t.PaymentTerms }),
	textOf("remittance", func(t *invoice.TradeTerms) string { return t.Remittance }),
	textOf("payment_means", func(t *invoice.TradeTerms) string { return t.PaymentMeans }),
	textOf("payment_means_text", func(t *invoice.TradeTerms) string { return t.PaymentMeansText }),
	textOf("card_number", func(t *invoice.TradeTerms) string { return t.CardNumber }),
	textOf("card_holder", func(t *invoice.TradeTerms) string { return t.CardHolder }),
	textOf("mandate", func(t *invoice.TradeTerms) string { return t.Mandate }),
	textOf("creditor_id", func(t *invoice.TradeTerms) string { return t.CreditorID }),
	textOf("debited_iban", func(t *invoice.TradeTerms) string { return t.DebitedIBAN }),
	newAttribute("notes", cel.ListType(noteKind.typ), func(r *record) ref.Val {
		return listOf(r.in, noteKind, r.state.(*invoice.TradeTerms).Notes.List())
	}),
)

var noteKind = newKind("invoice note",
	textOf("text", func(n *party.Note) string { return n.Text }),
	textOf("subject_code", func(n *party.Note) string { return n.SubjectCode }),
)

var adjustmentKind = newKind("invoice adjustment",
	textOf("reason", func(a *invoice.Adjustment) string { return a.Reason }),
	numberOf("percent", func(a *invoice.Adjustment) money.Number { return a.Percent.Number() }),
	numberOf("amount", func(a *invoice.Adjustment) money.Number { return a.Amount.Number() }),
	textOf("vat_category", func(a *invoice.Adjustment) string { return string(a.VATCategory) }),
	numberOf("vat_percent", func(a *invoice.Adjustment) money.Number { return a.VATPercent.Number() }),
)

var lineKind = newKind("invoice item",
	idOf("id", func(l *invoice.Line) invoice.LineID { return l.ID }),
	textOf("name", func(l *invoice.Line) string { return l.Name }),
	textOf("units", func(l *invoice.Line) string { return l.Units }),
	textOf("description", func(l *invoice.Line) string { return l.Description }),
	textOf("item_number", func(l *invoice.Line) string { return l.ItemNumber }),
	textOf("buyer_item_number", func(l *invoice.Line) string { return l.BuyerItemNumber }),
	textOf("gtin", func(l *invoice.Line) string { return l.GTIN }),
	textOf("note", func(l *invoice.Line) string { return l.Note }),
	textOf("period_from", func(l *invoice.Line) string { return l.PeriodFrom }),
	textOf("period_to", func(l *invoice.Line) string { return l.PeriodTo }),
	numberOf("count", func(l *invoice.Line) money.Number { return l.Count.Number() }),
	numberOf("price", func(l *invoice.Line) money.Number { return l.Price.Number() }),
	numberOf("base_count", func(l *invoice.Line) money.Number { return l.Base().Number() }),
	numberOf("discount_percent", func(l *invoice.Line) money.Number { return l.Discount.Number() }),
	newAttribute("adjustments", cel.ListType(adjustmentKind.typ), func(r *record) ref.Val {
		return listOf(r.in, adjustmentKind, r.state.(*invoice.Line).Adjustments)
	}),
	textOf("vat_category", func(l *invoice.Line) string { return string(l.VAT.Category) }),
	numberOf("vat_percent", func(l *invoice.Line) money.Number { return l.VAT.Percent.Number() }),
	numberOf("total_price", func(l *invoice.Line) money.Number { return l.Total.Number() }),
)

var paymentKind = newKind("payment record",
	idOf("id", func(s *payment.State) payment.ID { return s.ID }),
	idOf("performer_id", func(s *payment.State) performer.ID { return s.PerformerID }),
	optional(idOf("client_id", func(s *payment.State) client.ID { return s.ClientID })),
	dateOf("date", func(s *payment.State) time.Time { return s.Date }),
	numberOf("amount", func(s *payment.State) money.Number { return s.Amount.Number() }),
	numberOf("left", func(s *payment.State) money.Number { return s.Left.Number() }),
	boolOf("automatic", func(s *payment.State) bool { return s.AutomaticOf != 0 }),
	textOf("method", func(s *payment.State) string { return s.Method }),
	textOf("reference", func(s *payment.State) string { return s.Reference }),
	textOf("notice", func(s *payment.State) string { return s.Notice }),
	newAttribute("items", cel.ListType(paymentItemKind.typ), func(r *record) ref.Val {
		return listOf(r.in, paymentItemKind, r.state.(*payment.State).Items)
	}),
	instantOf("created_on", func(s *payment.State) time.Time { return s.CreatedOn }),
	instantOf("updated_on", func(s *payment.State) time.Time { return s.UpdatedOn }),
	textOf("ref", func(s *payment.State) string { return s.Ref }),
)

var paymentItemKind = newKind("payment item",
	idOf("id", func(i *payment.Item) payment.ItemID { return i.ID }),
	idOf("invoice_id", func(i *payment.Item) invoice.ID { return i.InvoiceID }),
	numberOf("amount", func(i *payment.Item) money.Number { return i.Amount.Number() }),
	numberOf("waived", func(i *payment.Item) money.Number { return i.Waived.Number() }),
	textOf("reason", func(i *payment.Item) string { return string(i.Reason) }),
)

var performerKind = newKind("performer record",
	idOf("id", func(s *performer.State) performer.ID { return s.ID }),
	intOf("status", func(s *performer.State) int32 { return s.Status }),
	textOf("name", func(s *performer.State) string { return s.Name }),
	textOf("company_name", func(s *performer.State) string { return s.CompanyName }),
	textOf("company_address", func(s *performer.State) string { return s.CompanyAddress }),
	textOf("real_address", func(s *performer.State) string { return s.RealAddress }),
	textOf("bank_details", func(s *performer.State) string { return s.BankDetails }),
	textOf("company_details", func(s *performer.State) string { return s.CompanyDetails }),
	textOf("leader", func(s *performer.State) string { return s.Leader }),
	textOf("leader_rank", func(s *performer.State) string { return s.LeaderRank }),
	textOf("booker", func(s *performer.State) string { return s.Booker }),
	textOf("phone", func(s *performer.State) string { return s.Phone }),
	textOf("email", func(s *performer.State) string { return s.Email }),
	boolOf("vat_use", func(s *performer.State) bool { return s.Terms.VATUse }),
	numberOf("vat_percent", func(s *performer.State) money.Number { return s.Terms.VATPercent.Number() }),
	textOf("stamp_file", func(s *performer.State) string { return s.StampFile }),
	textOf("leader_sig_file", func(s *performer.State) string { return s.LeaderSigFile }),
	textOf("booker_sig_file", func(s *performer.State) string { return s.BookerSigFile }),
	textOf("logo", func(s *performer.State) string { return s.Logo }),
	instantOf("created_at", func(s *performer.State) time.Time { return s.CreatedAt }),
	instantOf("updated_at", func(s *performer.State) time.Time { return s.UpdatedAt }),
	textOf("ref", func(s *performer.State) string { return s.Ref }),
	partyOf(performerPartyKind, repository.PerformerRecord, func(s *performer.State) performer.ID { return s.ID }),
)

var statusKind = newKind("status record",
	idOf("id", func(s *catalog.StatusState) catalog.StatusID { return s.ID }),
	textOf("name", func(s *catalog.StatusState) string { return s.Name }),
	boolOf("default", func(s *catalog.StatusState) bool { return s.Default }),
	textOf("color", func(s *catalog.StatusState) string { return s.Color }),
)

var userKind = newKind("user record",
	idOf("id", func(s *user.State) user.ID { return s.ID }),
	textOf("name", func(s *user.State) string { return s.Name() }),
	textOf("username", func(s *user.State) string { return s.Username }),
	textOf("fname", func(s *user.State) string { return s.FirstName }),
	textOf("lname", func(s *user.State) string { return s.LastName }),
	textOf("email", func(s *user.State) string { return s.Email }),
	textOf("role", func(s *user.State) string { return s.Role.String() }),
	boolOf("disabled", func(s *user.State) bool { return s.Disabled }),
	instantOf("created_at", func(s *user.State) time.Time { return s.CreatedAt }),
	instantOf("updated_at", func(s *user.State) time.Time { return s.UpdatedAt }),
)

// actorKind is the user who makes the change; the id of an operator at the command line is
// null.
var actorKind = newKind("actor",
	idOf("id", func(a *access.Actor) user.ID { return a.UserID }),
	textOf("role", func(a *access.Actor) string { return a.Role.String() }),
)
