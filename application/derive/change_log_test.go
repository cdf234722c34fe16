package derive_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/payment"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/repository"
)

// contract 4.196
func TestChangeLogSaysWhatAReactionHasChanged(t *testing.T) {
	won, added, former := dealWith(2, "Beds"), dealWith(1, "New"), dealWith(1, "Old")
	added.ID, former.ID = 59, 60
	got := derive.ChangeLog(repository.Changes{
		Deals: []repository.Change[deal.State]{
			{Before: dealWith(1, "Beds"), After: won, Reaction: "paid deals move"},
			{Before: won, After: won}, {After: added}, {Before: former}, {Before: added, After: added},
			{Before: won, After: dealWith(3, "Beds")}, {Before: dealWith(3, "Beds"), After: dealWith(4, "Beds")},
		},
		Parties: []party.Owner{{Client: 7}, {Performer: 8}},
	})
	partyOnly := []repository.LoggedAttribute{{Name: "party"}}
	want := []repository.LoggedChange{
		{Resource: "deal", RecordID: 58, Action: "update", Cause: "paid deals move", Attributes: []repository.LoggedAttribute{{Name: "status_id", Old: "1", New: "2"}}},
		{Resource: "deal", RecordID: 58, Action: "update", Attributes: []repository.LoggedAttribute{{Name: "status_id", Old: "2", New: "4"}}},
		{Resource: "deal", RecordID: 59, Action: "create"}, {Resource: "deal", RecordID: 60, Action: "delete"},
		{Resource: "client", RecordID: 7, Action: "update", Attributes: partyOnly},
		{Resource: "performer", RecordID: 8, Action: "update", Attributes: partyOnly},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestChangeLogLeavesOutWhatIsUnchanged(t *testing.T) {
	other := dealWith(2, "Beds")
	other.ID = 59
	got := derive.ChangeLog(repository.Changes{Deals: []repository.Change[deal.State]{
		{Before: dealWith(1, "Beds"), After: dealWith(1, "Beds")}, {After: other},
	}})
	if diff := cmp.Diff([]repository.LoggedChange{{Resource: "deal", RecordID: 59, Action: "create"}}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// otherValues are values of fields that differ from the zero value.
var otherValues = []any{
	"Zebulon", time.Date(2024, 3, 9, 0, 0, 0, 0, time.UTC), true, int(7), int32(7), int64(7), client.ID(7), deal.ID(7), catalog.StatusID(7),
	catalog.DealTypeID(7), catalog.InvoiceTypeID(7), performer.ID(7), invoice.ID(7), invoice.Status(2), contact.ToClient(7),
	one(money.ParseAmount("1")), one(money.ParseQuantity("1")), one(money.ParsePercent("1")), performer.Terms{VATUse: true},
	invoice.TradeTerms{PaymentTerms: "Zebulon"}, meta.UserID, []invoice.Adjustment{{}}, []invoice.Line{{}}, []payment.Item{{}},
}

func one[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// logsAll checks that a change of each field is in the log, except for fields that follow from others or never change, and that
// of the texts it only shows those of some fields.
func logsAll[S any](t *testing.T, changes func(...repository.Change[S]) repository.Changes, unlogged, shownTexts string) {
	t.Helper()
	var before S
	for i := range reflect.TypeFor[S]().NumField() {
		after, field := before, reflect.TypeFor[S]().Field(i)
		if slices.Contains(strings.Fields(unlogged+" ID Version CreatedAt UpdatedAt CreatedOn UpdatedOn"), field.Name) {
			continue
		}
		at := slices.IndexFunc(otherValues, func(v any) bool { return reflect.TypeOf(v) == field.Type })
		if at < 0 {
			t.Fatalf("no value of a %s", field.Type)
		}
		reflect.ValueOf(&after).Elem().Field(i).Set(reflect.ValueOf(otherValues[at]))
		got := derive.ChangeLog(changes(repository.Change[S]{Before: &before, After: &after}))
		if len(got) != 1 || len(got[0].Attributes) != 1 {
			t.Errorf("a change of %s %s is logged as %v", field.Type, field.Name, got)
		} else if a := got[0].Attributes[0]; a.New == "Zebulon" && !slices.Contains(strings.Fields(shownTexts), field.Name) {
			t.Errorf("the log shows the text %s", field.Name)
		}
	}
}

// contract 4.196
func TestChangeLogHasEveryAttributeAndNoPersonalData(t *testing.T) {
	logsAll(t, func(c ...repository.Change[client.State]) repository.Changes { return repository.Changes{Clients: c} }, "Type", "")
	logsAll(t, func(c ...repository.Change[contact.State]) repository.Changes { return repository.Changes{Contacts: c} }, "", "")
	logsAll(t, func(c ...repository.Change[deal.State]) repository.Changes { return repository.Changes{Deals: c} }, "", "")
	logsAll(t, func(c ...repository.Change[performer.State]) repository.Changes {
		return repository.Changes{Performers: c}
	}, "", "")
	logsAll(t, func(c ...repository.Change[payment.State]) repository.Changes { return repository.Changes{Payments: c} }, "AutomaticOf", "")
	logsAll(t, func(c ...repository.Change[invoice.State]) repository.Changes { return repository.Changes{Invoices: c} },
		"Terms TextBytes RateSums VAT OwedPrice AutomaticPrice SetOffPrice PaidOn Credits", "Number Currency")
}
