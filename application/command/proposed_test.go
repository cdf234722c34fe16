package command_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
)

var (
	longText = domain.Some(strings.Repeat("x", 70_000))
	newName  = domain.Some("Eve")
)

// judged returns the record that the rules were asked about last, after a write that was rejected.
func judged[S any](t *testing.T, err error, r *recorded[S]) S {
	t.Helper()
	if !fault.Is(err, fault.Invalid) || len(r.asked) == 0 {
		t.Fatalf("the write: %v, the rules were asked %d times", err, len(r.asked))
	}
	return *r.asked[len(r.asked)-1].After
}

// contract 12.97
func TestInvalidContactIsJudgedAsFarAsItIsRight(t *testing.T) {
	t.Parallel()
	o := open(t)
	asked := &recorded[contact.State]{}
	u := command.NewContacts(o.store, o.clock, registry(t, rule.Contacts.Rules(asked)))
	wrong := contact.Attributes{Name: newName, Email: domain.Some("no address")}
	_, err := u.Create(t.Context(), o.manager(), command.ContactLink{ClientID: o.Client}, wrong)
	if got := judged(t, err, asked); got.Name != "Eve" || got.Link != contact.ToClient(o.Client) {
		t.Errorf("a new one: the rules were asked about %+v", got)
	}
	id := done[contact.ID](t)(u.Create(t.Context(), o.manager(), command.ContactLink{ClientID: o.Client}, contact.Attributes{Name: domain.Some("Bob")}))
	if got := judged(t, u.Update(t.Context(), o.manager(), id, wrong), asked); got.Name != "Eve" || got.ID != id {
		t.Errorf("a stored one: the rules were asked about %+v", got)
	}
}

// contract 3.155
func TestOwnErrorsComeBeforeThoseOfRulesAndHideTheirFailures(t *testing.T) {
	t.Parallel()
	o := open(t)
	refusing := &recorded[contact.State]{name: "-refusing", verdict: fault.ForField(fault.Invalid, "name", "no")}
	failing := &recorded[contact.State]{name: "-failing", verdict: errors.New("gets null")}
	u := command.NewContacts(o.store, o.clock, registry(t, rule.Contacts.Rules(refusing, failing)))
	fieldsOf := func(link command.ContactLink, email string) (fields []string) {
		_, err := u.Create(t.Context(), o.manager(), link, contact.Attributes{Name: newName, Email: domain.Some(email)})
		for _, f := range fault.As(err).Fields {
			fields = append(fields, f.Name+" "+f.Rule)
		}
		return fields
	}
	expect(t, []string{"name recorded-refusing", " recorded-failing"}, fieldsOf(command.ContactLink{ClientID: o.Client}, "a@example.org"))
	expect(t, []string{"email ", "name recorded-refusing"}, fieldsOf(command.ContactLink{ClientID: o.Client}, "no address"))
	expect(t, []string{"client_id ", "name recorded-refusing"}, fieldsOf(command.ContactLink{ClientID: 4711}, "a@example.org"))
}

// contract 12.97
func TestInvalidPerformerIsJudgedAsFarAsItIsRight(t *testing.T) {
	t.Parallel()
	o := open(t)
	asked := &recorded[performer.State]{}
	u := command.NewPerformers(o.store, o.clock, registry(t, rule.Performers.Rules(asked)))
	wrong := performer.Attributes{Name: newName, Phone: longText, Status: domain.Some(int64(1) << 40)}
	_, err := u.Create(t.Context(), o.admin(), wrong)
	if got := judged(t, err, asked); got.Name != "Eve" || got.Status != performer.DefaultStatus {
		t.Errorf("a new one: the rules were asked about %+v", got)
	}
	if got := judged(t, u.Update(t.Context(), o.admin(), o.Performer, wrong), asked); got.Name != "Eve" || got.ID != o.Performer {
		t.Errorf("a stored one: the rules were asked about %+v", got)
	}
}

// contract 12.97
func TestInvalidReferenceListEntryIsJudgedAsFarAsItIsRight(t *testing.T) {
	t.Parallel()
	o := open(t)
	statuses := &recorded[catalog.StatusState]{}
	types := &recorded[catalog.LabelState[catalog.DealTypeID]]{name: "-types"}
	rules := registry(t, rule.Statuses.Rules(statuses), rule.DealTypes.Rules(types))
	u := command.NewStatuses(o.store, o.clock, rules)
	wrong := catalog.StatusAttributes{Name: newName, Color: domain.Some("red")}
	_, err := u.Create(t.Context(), o.admin(), wrong)
	if got := judged(t, err, statuses); got.Name != "Eve" || got.Color != "" {
		t.Errorf("a new status: the rules were asked about %+v", got)
	}
	if got := judged(t, u.Update(t.Context(), o.admin(), o.Status, wrong), statuses); got.Name != "Eve" || got.ID != o.Status {
		t.Errorf("a stored status: the rules were asked about %+v", got)
	}
	labels := command.NewDealTypes(o.store, o.clock, rules)
	_, err = labels.Create(t.Context(), unreadable(o.admin(), "color"), catalog.LabelAttributes{Name: newName})
	if got := judged(t, err, types); got.Name != "Eve" {
		t.Errorf("a new type: the rules were asked about %+v", got)
	}
	if got := judged(t, labels.Update(t.Context(), unreadable(o.admin(), "color"), o.DealType, catalog.LabelAttributes{Name: newName}), types); got.Name != "Eve" {
		t.Errorf("a stored type: the rules were asked about %+v", got)
	}
}

// contract 12.97
func TestInvalidInvoiceIsJudgedWithItsLines(t *testing.T) {
	t.Parallel()
	o := open(t)
	asked := &recorded[invoice.State]{}
	rules := registry(t, rule.Invoices.Rules(asked))
	u := command.NewInvoices(o.store, o.clock, rules, command.NewDeals(o.store, o.clock, rules))
	line := func(name domain.Optional[string]) invoice.LineAttributes { return invoice.LineAttributes{Name: name} }
	a := unpaid(o)
	a.Lines = domain.Some([]invoice.LineAttributes{line(newName), line(longText)})
	_, err := u.Create(t.Context(), o.manager(), a)
	if got := judged(t, err, asked); got.TotalCount != 2 || len(got.Lines) != 2 || got.Lines[0].Name != "Eve" || got.Number == "" {
		t.Errorf("a new one: the rules were asked about %+v", got)
	}
	id := done[invoice.ID](t)(u.Create(t.Context(), o.manager(), unpaid(o)))
	stored := o.invoice(id)
	replaced := invoice.Attributes{Lines: a.Lines}
	if got := judged(t, u.Update(t.Context(), o.manager(), id, replaced), asked); got.TotalCount != 2 || got.Lines[0].Name != "Eve" {
		t.Errorf("a stored one: the rules were asked about %+v", got)
	}
	wrong := line(newName)
	wrong.Units = longText
	_, err = u.AddLine(t.Context(), o.manager(), id, wrong)
	if got := judged(t, err, asked); got.TotalCount != stored.TotalCount+1 || got.Lines[0].Name != "Eve" {
		t.Errorf("an added line: the rules were asked about %+v", got)
	}
	if got := judged(t, u.ChangeLine(t.Context(), o.manager(), stored.Lines[0].ID, wrong), asked); got.Lines[0].Name != "Eve" {
		t.Errorf("a changed line: the rules were asked about %+v", got)
	}
}
