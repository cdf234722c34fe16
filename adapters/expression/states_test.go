package expression_test

import (
	"context"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/payment"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
)

// emptyStates are records without a value, by resource.
var emptyStates = map[string]any{
	"client": &client.State{}, "contact": &contact.State{}, "contract": &agreement.State[agreement.ContractID]{}, "deal": &deal.State{},
	"deal-type": &catalog.LabelState[catalog.DealTypeID]{}, "invoice": &invoice.State{},
	"invoice-type": &catalog.LabelState[catalog.InvoiceTypeID]{}, "offer": &agreement.State[agreement.OfferID]{},
	"payment": &payment.State{}, "performer": &performer.State{}, "status": &catalog.StatusState{}, "user": &user.State{},
}

// Each of these is true.
func TestExpressionReadsEachResource(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for text, c := range map[string]struct {
		resource string
		state    any
	}{
		`after.user_id == 4 && after.user == 4 && after.type == 2 && after.name == "Lund" && after.email + after.phone == "ab" && after.created_at == timestamp("2026-01-01T00:00:00Z")`: {
			"client", &client.State{ID: 1, UserID: 4, Type: client.Person, Name: "Lund", Email: "a", Phone: "b", CreatedAt: at}},
		`after.real_address + after.description + after.company_address + after.bank_details + after.person_details == "abcde"`: {
			"client", &client.State{RealAddress: "a", Description: "b", CompanyAddress: "c", BankDetails: "d", PersonDetails: "e"}},
		`after.client_id == 31 && after.deal_id == null && after.name + after.phone + after.mobile + after.email + after.rank == "abcde"`: {
			"contact", &contact.State{Link: contact.ToClient(31), Name: "a", Phone: "b", Mobile: "c", Email: "d", Rank: "e"}},
		`after.client_id == null && after.deal_id == 58`: {"contact", &contact.State{Link: contact.ToDeal(58)}},
		`after.client_id == null && after.user_id == 4 && after.type_id == null && after.status_id == 5 && after.name == "Rooms"`: {
			"deal", &deal.State{UserID: 4, StatusID: 5, Name: "Rooms"}},
		`after.id == 3 && after.deal_id == 58 && after.number + after.notice == "ab" && after.date == null && after.created_on.getFullYear() == 2026`: {
			"offer", &agreement.State[agreement.OfferID]{ID: 3, DealID: 58, Number: "a", Notice: "b", CreatedOn: at}},
		`after.id == 3 && after.date == date("2026-01-01")`: {"contract", &agreement.State[agreement.ContractID]{ID: 3, Date: at}},
		`after.id == 3 && after.name == "Sale"`:             {"deal-type", &catalog.LabelState[catalog.DealTypeID]{ID: 3, Name: "Sale"}},
		`after.id == 3 && after.title == "Goods"`:           {"invoice-type", &catalog.LabelState[catalog.InvoiceTypeID]{ID: 3, Name: "Goods"}},
		`after.default && after.color.matches("^#[0-9a-f]{6}$") && after.name == "Won"`: {
			"status", &catalog.StatusState{Name: "Won", Default: true, Color: "#1e90ff"}},
		`after.vat_use && after.vat_percent == 19 && after.vat_percent < decimal("19.01") && after.status == 1 && after.name == "Oak"`: {
			"performer", &performer.State{Name: "Oak", Status: 1, Terms: performer.Terms{VATUse: true, VATPercent: sample().After.(*invoice.State).Terms.VATPercent}}},
		`after.company_name + after.company_address + after.real_address + after.bank_details + after.company_details + after.leader + after.leader_rank == "abcdefg"`: {
			"performer", &performer.State{CompanyName: "a", CompanyAddress: "b", RealAddress: "c", BankDetails: "d", CompanyDetails: "e", Leader: "f", LeaderRank: "g"}},
		`after.booker + after.phone + after.email + after.stamp_file + after.leader_sig_file + after.booker_sig_file + after.logo == "abcdefg"`: {
			"performer", &performer.State{Booker: "a", Phone: "b", Email: "c", StampFile: "d", LeaderSigFile: "e", BookerSigFile: "f", Logo: "g"}},
		`after.name == "Ann Berg" && after.username + after.fname + after.lname + after.email + after.role == "annAnnBergemanager" && !after.disabled`: {
			"user", &user.State{Username: "ann", FirstName: "Ann", LastName: "Berg", Email: "e", Role: user.Manager}},
	} {
		e, err := compile(t, c.resource, text, "no")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if j := e.Judge(context.Background(), rule.Input{After: c.state}); !j.Passes {
			t.Errorf("%s: %s: %+v", c.resource, text, j)
		}
	}
}
