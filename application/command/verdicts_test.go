package command_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// observations are the verdicts of finished writes, as text.
type observations []string

func (o *observations) Observe(verdicts []rule.Verdict) {
	for _, v := range verdicts {
		*o = append(*o, v.Rule+" "+v.Outcome.String())
	}
}

// clientsWith are the use cases of clients with one rule.
func clientsWith(t *testing.T, tx repository.Tx, clock *standing, verdict error) (*command.Clients, *observations) {
	t.Helper()
	verdicts := &observations{}
	rules, err := rule.NewRegistry(nil, verdicts, rule.Clients.Rules(&recorded[client.State]{verdict: verdict}))
	if err != nil {
		t.Fatal(err)
	}
	return command.NewClients(tx, clock, rules), verdicts
}

func (o *observations) want(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, []string(*o), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("observed: -want +got\n%s", diff)
	}
}

// contract 12.40
func TestVerdictsAreObservedOnceForARetriedWrite(t *testing.T) {
	t.Parallel()
	o := open(t)
	clients, seen := clientsWith(t, &retryingTx{Tx: o.store, between: func() {}}, o.clock, nil)
	done[client.ID](t)(clients.Create(t.Context(), o.manager(), fixture.Company()))
	seen.want(t, "recorded passed")
}

// contract 12.40
func TestVerdictsAreObservedOnceForARepeatedCreation(t *testing.T) {
	t.Parallel()
	o := open(t)
	clients, seen := clientsWith(t, o.store, o.clock, nil)
	done[client.ID](t)(clients.Create(t.Context(), idempotent(o.manager(), 1, "first"), fixture.Company()))
	if _, err := clients.Create(t.Context(), idempotent(o.manager(), 1, "second"), fixture.Company()); err == nil {
		t.Fatal("the second creation was carried out")
	}
	seen.want(t, "recorded passed")
}

// contract 12.40
func TestVerdictsOfARefusedWriteAreObserved(t *testing.T) {
	t.Parallel()
	o := open(t)
	clients, seen := clientsWith(t, o.store, o.clock, forbidden())
	_, err := clients.Create(t.Context(), o.manager(), fixture.Company())
	rejected(t, err, fault.Forbidden)
	seen.want(t, "recorded refused")

	clients, seen = clientsWith(t, o.store, o.clock, nil)
	rejected(t, clients.Update(t.Context(), o.admin(), o.Client, of(nowhere)), fault.Dangling, "user")
	seen.want(t, "recorded passed")
}

// failingTx is a transaction whose commit fails.
type failingTx struct {
	repository.Tx
	failure error
}

func (tx failingTx) Do(ctx context.Context, meta repository.Meta, fn func(ctx context.Context, s repository.Stores) error) error {
	return tx.Tx.Do(ctx, meta, func(ctx context.Context, s repository.Stores) error {
		if err := fn(ctx, s); err != nil {
			return err
		}
		return tx.failure
	})
}

// contract 12.40
func TestVerdictsOfAFailedWriteAreNotObserved(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{
		"an outage":                  fault.New(fault.Unavailable, "no database"),
		"a commit of unknown result": fault.New(fault.OutcomeUnknown, "no response"),
		"a canceled request":         context.Canceled,
		"a defect":                   errors.New("defect"),
	} {
		t.Run(name, func(t *testing.T) {
			o := open(t)
			clients, seen := clientsWith(t, failingTx{o.store, failure}, o.clock, nil)
			if _, err := clients.Create(t.Context(), o.manager(), fixture.Company()); err == nil {
				t.Fatal("the write succeeded")
			}
			seen.want(t)
		})
	}
}

func TestReportNamesTheReactionsThatWereCalled(t *testing.T) {
	t.Parallel()
	o := open(t)
	rules := registry(t, rule.Invoices.Reactions(&paidDeal{to: o.Status}))
	invoices := command.NewInvoices(o.store, o.clock, rules, command.NewDeals(o.store, o.clock, rules))
	r := o.manager()
	r.Report = &rule.Report{}
	id := done[invoice.ID](t)(invoices.Create(t.Context(), r, unpaid(o)))
	expect(t, []string{"paid-deal"}, r.Report.Reactions)
	succeed(t, invoices.Update(t.Context(), r, id, invoice.Attributes{}))
	expect(t, 0, len(r.Report.Reactions))
}

// contract 12.97, 12.101
func TestDealOpenedForAnInvoiceIsJudgedTogetherWithIt(t *testing.T) {
	t.Parallel()
	o := open(t)
	no := fault.ForField(fault.Invalid, "status_id", "no")
	rules := registry(t,
		rule.Invoices.Rules(&recorded[invoice.State]{name: "-invoices", verdict: no}),
		rule.Deals.Rules(&recorded[deal.State]{name: "-deals", verdict: no}))
	invoices := command.NewInvoices(o.store, o.clock, rules, command.NewDeals(o.store, o.clock, rules))
	a := unpaid(o)
	a.DealID = domain.Optional[deal.ID]{}
	_, err := invoices.Create(t.Context(), o.manager(), a)
	want := []fault.Field{
		{Name: "status_id", Message: "no", Rule: "recorded-invoices"},
		{Name: "status_id", Message: "no", Rule: "recorded-deals", Resource: "deal"},
	}
	if f := fault.As(err); f == nil || !cmp.Equal(want, f.Fields) {
		t.Errorf("it ends with %+v", f)
	}
}

// contract 12.97, 12.101
func TestDealThatGainsAClientIsJudgedTogetherWithTheInvoice(t *testing.T) {
	t.Parallel()
	o := open(t)
	no := fault.ForField(fault.Invalid, "status_id", "no")
	deals := &recorded[deal.State]{name: "-deals", verdict: no}
	rules := registry(t, rule.Invoices.Rules(&recorded[invoice.State]{name: "-invoices", verdict: no}), rule.Deals.Rules(deals))
	invoices := command.NewInvoices(o.store, o.clock, rules, command.NewDeals(o.store, o.clock, rules))
	want := []fault.Field{
		{Name: "status_id", Message: "no", Rule: "recorded-invoices"},
		{Name: "status_id", Message: "no", Rule: "recorded-deals", Resource: "deal", RecordID: int64(o.Inquiry)},
	}
	a := unpaid(o)
	a.DealID = domain.Some(o.Inquiry)
	_, err := invoices.Create(t.Context(), o.manager(), a)
	if f := fault.As(err); f == nil || !cmp.Equal(want, f.Fields) {
		t.Errorf("the creation ends with %+v", f)
	}
	id := issue(o, unpaid(o))
	err = invoices.Update(t.Context(), o.manager(), id, underDeal(o.Inquiry))
	if f := fault.As(err); f == nil || !cmp.Equal(want, f.Fields) {
		t.Errorf("the update ends with %+v", f)
	}
	for _, c := range deals.asked {
		if c.Cause != rule.ClientOfInvoice || c.Before.ClientID != 0 || c.After.ClientID != o.Client {
			t.Errorf("the rule was asked about %+v", c)
		}
	}
	expect(t, 2, len(deals.asked))
	a.DealID = domain.Some(o.Deal)
	_, err = invoices.Create(t.Context(), o.manager(), a)
	rejected(t, err, fault.Invalid, "status_id")
	expect(t, 2, len(deals.asked)) // the deal has the client already
}

// renames is a reaction that creates a deal and changes it.
type renames struct{}

func (renames) Name() string { return "renames" }

func (renames) React(ctx context.Context, _ rule.Change[client.State], do rule.Actions) error {
	id, err := do.CreateDeal(ctx, deal.Attributes{Name: domain.Some("new")})
	if err != nil {
		return err
	}
	return do.UpdateDeal(ctx, id, deal.Attributes{Name: domain.Some("x")})
}

// noUpdates refuses updates of deals.
type noUpdates struct{}

func (noUpdates) Name() string { return "no-updates" }

func (noUpdates) Check(_ context.Context, c rule.Change[deal.State]) error {
	if c.Before == nil {
		return nil
	}
	return fault.ForField(fault.Invalid, "name", "stays")
}

// contract 12.101
func TestRefusalHasNoIDOfARecordThatIsNotStored(t *testing.T) {
	t.Parallel()
	o := open(t)
	rules := registry(t, rule.Clients.Reactions(renames{}), rule.Deals.Rules(noUpdates{}))
	_, err := command.NewClients(o.store, o.clock, rules).Create(t.Context(), o.manager(), fixture.Company())
	want := []fault.Field{{Name: "name", Message: "stays", Rule: "no-updates", Resource: "deal"}}
	if f := fault.As(err); f == nil || !cmp.Equal(want, f.Fields) {
		t.Errorf("it ends with %+v", f)
	}
}

// broken is a reaction that does what a reaction must not do.
type broken struct{ react func() error }

func (broken) Name() string { return "broken" }

func (b broken) React(context.Context, rule.Change[client.State], rule.Actions) error {
	return b.react()
}

// contract 12.112
func TestReactionThatFailsIsNamed(t *testing.T) {
	t.Parallel()
	o := open(t)
	attempt := func(react func() error) (*rule.Report, error) {
		r := o.manager()
		r.Report = &rule.Report{}
		_, err := command.NewClients(o.store, o.clock, registry(t, rule.Clients.Reactions(broken{react}))).Create(t.Context(), r, fixture.Company())
		return r.Report, err
	}
	report, err := attempt(func() error { panic("no such thing") })
	want := []fault.Field{{Message: "the reaction broken has failed: it panics", Rule: "broken"}}
	if f := fault.As(err); f == nil || f.Kind != fault.Invalid || !cmp.Equal(want, f.Fields) {
		t.Errorf("a panic ends with %v", err)
	}
	if report.Failure == nil || !strings.HasPrefix(report.Failure.Error(), "the reaction broken has failed: a panic: no such thing\n") {
		t.Errorf("the log has %v", report.Failure)
	}
	if _, err = attempt(func() error { return errors.New("defect") }); err == nil || fault.As(err) != nil || err.Error() != "the reaction broken: defect" {
		t.Errorf("an unexpected error ends with %v", err)
	}
}

// contract 12.101
func TestRefusalOfAReactionNamesItsRecord(t *testing.T) {
	t.Parallel()
	o := open(t)
	rules := registry(t,
		rule.Invoices.Reactions(&paidDeal{to: o.Status}),
		rule.Deals.Rules(&recorded[deal.State]{name: "-deals", verdict: forbidden()}))
	invoices := command.NewInvoices(o.store, o.clock, rules, command.NewDeals(o.store, o.clock, rules))
	a := unpaid(o)
	a.DealID, a.Status = domain.Some(o.Deal), domain.Some(invoice.Paid)
	_, err := invoices.Create(t.Context(), o.manager(), a)
	if f := fault.As(err); f == nil || len(f.Fields) != 1 || f.Fields[0].Resource != "deal" || f.Fields[0].RecordID != int64(o.Deal) {
		t.Errorf("it ends with %+v", fault.As(err))
	}
}

// contract 12.102
func TestContactsThatAreTakenAlongAreNotJudged(t *testing.T) {
	t.Parallel()
	o := open(t)
	judging := &recorded[contact.State]{verdict: forbidden()}
	deals := command.NewDeals(o.store, o.clock, registry(t, rule.Contacts.Rules(judging)))
	id := done[deal.ID](t)(deals.Create(t.Context(), o.manager(), fixture.Deal(0, 0)))
	done[contact.ID](t)(o.contacts.Create(t.Context(), o.manager(), command.ContactLink{DealID: id}, fixture.Contact()))
	succeed(t, deals.Update(t.Context(), o.manager(), id, deal.Attributes{ClientID: domain.Some(o.Client)}))
	other := done[deal.ID](t)(deals.Create(t.Context(), o.manager(), fixture.Deal(0, 0)))
	done[contact.ID](t)(o.contacts.Create(t.Context(), o.manager(), command.ContactLink{DealID: other}, fixture.Contact()))
	succeed(t, deals.Delete(t.Context(), o.manager(), other))
	expect(t, 0, len(judging.asked))
}
