package command_test

import (
	"testing"
	"time"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/test/fixture"
)

// contract 4.58, 12.102
func TestAWriteThatChangesNothingIsNotJudged(t *testing.T) {
	t.Parallel()
	o := open(t)
	forbids := &recorded[client.State]{verdict: forbidden()}
	invoices := &recorded[invoice.State]{name: "-invoices"}
	statuses := &recorded[catalog.StatusState]{name: "-statuses"}
	rules := registry(t, rule.Clients.Rules(forbids), rule.Invoices.Rules(invoices), rule.Statuses.Rules(statuses))
	clients := command.NewClients(o.store, o.clock, rules)
	o.invoices = command.NewInvoices(o.store, o.clock, rules, command.NewDeals(o.store, o.clock, rules))
	stored := o.client(o.Client)
	same := client.Attributes{Name: domain.Some(stored.Name), Email: domain.Some(stored.Email), UserID: domain.Some(stored.UserID)}
	succeed(t, clients.Update(t.Context(), o.manager(), o.Client, same))
	expect(t, stored, o.client(o.Client))

	id := done[invoice.ID](t)(o.invoices.Create(t.Context(), o.manager(), unpaid(o)))
	line := o.invoice(id).Lines[0]
	asked := len(invoices.asked)
	succeed(t, o.invoices.Update(t.Context(), o.manager(), id, invoice.Attributes{Paid: domain.Some(false)}))
	succeed(t, o.invoices.ChangeLine(t.Context(), o.manager(), line.ID, invoice.LineAttributes{Count: domain.Some(line.Count)}))
	if len(invoices.asked) != asked {
		t.Errorf("the rules were asked about %+v", invoices.asked[asked:])
	}
	isDefault := catalog.StatusAttributes{Default: domain.Some(true)}
	succeed(t, command.NewStatuses(o.store, o.clock, rules).Update(t.Context(), o.admin(), o.Default, isDefault))
	if len(statuses.asked) != 0 {
		t.Errorf("the rules were asked about %+v", statuses.asked)
	}
	same.Name = domain.Some("Another")
	if err := clients.Update(t.Context(), o.manager(), o.Client, same); err == nil {
		t.Error("a change was not judged")
	}
}

// contract 4.90
func TestHistoryOfADealDoesNotGoBack(t *testing.T) {
	t.Parallel()
	o := open(t)
	late := o.clock.at.Add(time.Minute)
	early := o.clock.at
	o.clock.at = late
	_ = done[invoice.ID](t)(o.invoices.Create(t.Context(), o.manager(), fixture.Invoice(o.Office)))
	o.clock.at = early
	_ = done[invoice.ID](t)(o.invoices.Create(t.Context(), o.manager(), fixture.Invoice(o.Office)))
	history := o.history(o.Deal)
	for _, entry := range history[len(history)-2:] {
		if !entry.CreatedOn.Equal(late) {
			t.Errorf("an entry is of %v, want %v", entry.CreatedOn, late)
		}
	}
}
