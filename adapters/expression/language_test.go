package expression_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/expression"
	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
)

// berlin is the company's zone in these tests.
var berlin = must(time.LoadLocation("Europe/Berlin"))

var compiler = must(expression.NewCompiler(berlin))

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func amount(s string) money.Amount     { return must(money.ParseAmount(s)) }
func quantity(s string) money.Quantity { return must(money.ParseQuantity(s)) }

// sample is an invoice as an update would change it: status 1 to 2, and one line more.
func sample() rule.Input {
	before := invoice.State{
		ID: 7, UserID: 4, Number: "R-17", Date: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), PerformerID: 2, ClientID: 31, DealID: 58,
		TypeID: 1, Status: invoice.NotPaid, Notice: "", Terms: performer.Terms{VATUse: true, VATPercent: must(money.ParsePercent("19"))},
		TotalCount: 1, TotalPrice: amount("100.01"), VATPrice: amount("19.0019"), PayPrice: amount("119.0119"),
		CreatedOn: time.Date(2025, 12, 31, 23, 30, 0, 0, time.UTC), UpdatedOn: time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC),
		Lines: []invoice.Line{{ID: 1, Name: "Door", Units: "pcs", Count: quantity("1"), Price: amount("100.01"), Total: amount("100.01")}},
	}
	after := before
	after.Status, after.PaidOn = invoice.Paid, time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	after.Lines = append(after.Lines[:1:1], invoice.Line{Name: "Discount", Count: quantity("-0.5"), Price: amount("20"), Total: amount("-10")})
	after.Discount = must(money.ParsePercent("10"))
	after.Lines[0].Discount = must(money.ParsePercent("5"))
	after.Lines[0].BaseCount = quantity("100")
	after.Lines[0].Adjustments = []invoice.Adjustment{{Reason: "Box", Percent: must(money.ParsePercent("5")), Amount: amount("1")}}
	after.Adjustments = []invoice.Adjustment{{
		Reason: "Bonus", Amount: amount("-2"), VATCategory: performer.Standard, VATPercent: must(money.ParsePercent("7")),
	}}
	after.EarlyRate, after.EarlyUntil = must(money.ParsePercent("2")), time.Date(2026, 1, 11, 0, 0, 0, 0, time.UTC)
	after.Currency, after.Exchange = "CHF", quantity("1.05")
	after.Lines[0].VAT = invoice.Rate{Category: performer.Standard, Percent: must(money.ParsePercent("7"))}
	after.Lines[0].Item = invoice.Item{Description: "a", ItemNumber: "b", BuyerItemNumber: "c", GTIN: "d", Note: "e", PeriodFrom: "f", PeriodTo: "g"}
	after.Trade = invoice.TradeTerms{
		DeliveryDate: "2024-03-01", PeriodFrom: "a", PeriodTo: "b", DeliveryName: "c", DeliveryStreet: "d", DeliveryZip: "e", DeliveryCity: "f",
		DeliveryCountry: "g", OrderReference: "h", SalesOrder: "i", Contract: "j", Project: "Umbau", BuyerReference: "k", PaymentTerms: "l",
		Remittance: "m", PaymentMeans: "n", PaymentMeansText: "o", CardNumber: "p", CardHolder: "q", Mandate: "r", CreditorID: "s", DebitedIBAN: "t",
		Notes: party.NotesOf([]party.Note{{Text: "u", SubjectCode: "AAI"}, {Text: "v"}}),
	}
	after.TotalCount, after.TotalPrice, after.Notice = 2, amount("90.01"), "In oak."
	return rule.Input{
		Before: &before, After: &after, Actor: access.Actor{UserID: 4, Role: user.Manager},
		At: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), Fact: known,
	}
}

// itself is the sample, which no fact counts.
var itself = repository.Record{Resource: "invoice", ID: 7}

// known answers every question.
func known(q repository.Question) (repository.Answer, bool) {
	switch q {
	case repository.Question{Kind: repository.UnpaidInvoicesOfClient, ID: 31, Except: itself}:
		return repository.Answer{Count: 3, Sum: amount("1000.5"), Oldest: time.Date(2025, 11, 30, 0, 0, 0, 0, time.UTC)}, true
	case repository.Question{Kind: repository.DealsOfClient, ID: 31}, repository.Question{Kind: repository.DealsOfUser, ID: 4}:
		return repository.Answer{ByStatus: map[catalog.StatusID]int{1: 4, 5: 2}}, true
	case repository.Question{Kind: repository.InvoicesOfDeal, ID: 58, Except: itself}:
		return repository.Answer{ByState: map[invoice.Status]int{invoice.NotPaid: 1, invoice.Closed: 6}, Issued: 5}, true
	case repository.Question{Kind: repository.AgreementsOfDeal, ID: 58}:
		return repository.Answer{Offers: 2, Contracts: 1}, true
	case repository.Question{Kind: repository.NumberTaken, ID: 2, Year: 2026, Number: "R-17", Except: itself}:
		return repository.Answer{IsTaken: true}, true
	case repository.Question{Kind: repository.ContactsOfClient, ID: 31}, repository.Question{Kind: repository.ContactsOfDeal, ID: 58}:
		return repository.Answer{Contacts: []contact.State{{ID: 1, Name: "Ann", Phone: "1"}, {ID: 2, Link: contact.ToClient(31)}}}, true
	case repository.Question{Kind: repository.ClientRecord, ID: 31}:
		return repository.Answer{Record: &client.State{ID: 31, Email: "a@b.example", UserID: 4}}, true
	case repository.Question{Kind: repository.DealRecord, ID: 58}:
		return repository.Answer{Record: &deal.State{ID: 58, StatusID: 5}}, true
	case repository.Question{Kind: repository.StatusRecord, ID: 5}:
		return repository.Answer{Record: &catalog.StatusState{ID: 5, Name: "Won"}}, true
	case repository.Question{Kind: repository.PerformerRecord, ID: 2}:
		return repository.Answer{Record: &performer.State{ID: 2, Name: "Oak"}}, true
	case repository.AllStatuses:
		return repository.Answer{Statuses: []catalog.StatusState{{ID: 2, Name: "New", Default: true}, {ID: 5, Name: "Won"}}}, true
	case repository.Question{Kind: repository.UserRecord, ID: 4}:
		return repository.Answer{Record: &user.State{ID: 4, Username: "ann"}}, true
	}
	return repository.Answer{}, true
}

func compile(t testing.TB, resource, text, message string) (rule.Expression, error) {
	t.Helper()
	return compiler.Compile(ruledef.State{Name: "limit", Resource: resource, Expression: text, Message: message})
}

func judge(t testing.TB, text string, in rule.Input) rule.Judgement {
	t.Helper()
	e, err := compile(t, "invoice", text, "no")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e.Judge(context.Background(), in)
}

// Each of these is true for the sample.
func TestExpressionReadsRecordsAndContext(t *testing.T) {
	for _, text := range []string{
		`true`,
		// attributes
		`after.id == 7 && after.number == "R-17" && after.user_id == 4 && after.performer_id == 2 && after.client_id == 31`,
		`facts.statuses().size() == 2 && facts.statuses().exists(s, s.id == 5 && s.name == "Won")`,
		`facts.statuses().filter(s, s.default)[0].id == 2 && facts.statuses()[facts.statuses().size() - 1].id == 5`,
		`after.deal_id == 58 && after.type_id == 1 && after.status_id == 2 && before.status_id == 1`,
		`after.paid && !before.paid && !after.closed`,
		`after.notice == "In oak." && before.notice == ""`,
		`has(after.notice) && !has(before.notice) && has(after.paid_on) && !has(before.paid_on)`,
		`before.paid_on == null && after.paid_on != null`,
		`after.terms.project == "Umbau" && before.terms.project == "" && after.terms.delivery_date < "2024-03-02"`,
		`[after.terms].all(t, t.period_from + t.period_to + t.delivery_name + t.delivery_street + t.delivery_zip == "abcde")`,
		`[after.terms].all(t, t.delivery_city + t.delivery_country + t.order_reference + t.sales_order + t.contract == "fghij")`,
		`[after.terms].all(t, t.buyer_reference + t.payment_terms + t.remittance == "klm")`,
		`after.adjustments.exists(a, a.amount < 0 && a.reason == "Bonus" && a.vat_category == "standard" && a.vat_percent == 7) && after.items[0].adjustments[0].percent == 5 &&
			after.items[0].base_count == 100 && after.currency == "CHF" &&
			after.exchange_rate == decimal("1.05") && !has(before.exchange_rate)`,
		`[after.terms].all(t, t.payment_means + t.payment_means_text + t.card_number + t.card_holder == "nopq")`,
		`[after.terms].all(t, t.mandate + t.creditor_id + t.debited_iban == "rst") && size(before.terms.notes) == 0`,
		`after.terms.notes.map(n, n.text + n.subject_code) == ["uAAI", "v"]`,
		`has(after.discount_percent_early) && after.discount_percent_early == 2 && after.discount_until != null && after.discount_until - after.date == duration("240h")`,
		`has(after.discount_percent_early) && !has(before.discount_percent_early) && before.discount_until == null`,
		`after.discount_percent == 10 && after.items[0].discount_percent == 5 && after.items[0].vat_category == "standard"`,
		`[after.items[0]].all(i, i.description + i.item_number + i.buyer_item_number + i.gtin + i.note + i.period_from + i.period_to == "abcdefg")`,
		`after.items[0].vat_percent == 7 && after.items[1].vat_category == ""`,
		`before.number == after.number && before.client_id == after.client_id`,
		`before != null && after != null`,
		`(before == null ? after : before).status_id == 1`,
		`after.total_count == 2 && size(after.items) == after.total_count && before.items.size() == 1`,
		// context
		`operation == "update" && operation in ["create", "update"]`,
		`actor.id == after.user_id && actor.role == "manager"`,
		`actor.role != "admin"`,
		// decimals
		`after.total_price == decimal("90.01") && after.total_price == decimal("90.0100")`,
		`after.total_price > 90 && after.total_price < 91 && 90 <= after.total_price && after.total_price != 90`,
		`before.total_price - after.total_price == 10`,
		`before.total_price + before.vat_price == before.pay_price`,
		`before.total_price * 19 == before.vat_price * 100`,
		`-after.total_price < 0 && 2 * after.total_price == decimal("180.02")`,
		`after.total_price * decimal("0.1") == decimal("9.001")`,
		`decimal("0.1") + decimal("0.2") == decimal("0.3")`,
		`decimal(after.total_count) == 2 && after.total_count < decimal("2.5")`,
		`after.total_price in [decimal("1"), decimal("90.01")]`,
		`string(after.total_price) == "90.01"`,
		`decimal("12345678901234.000000000000000001") > decimal("12345678901234")`,
		// lines
		`after.items.exists(i, i.total_price < 0) && !before.items.exists(i, i.total_price < 0)`,
		`after.items.exists(after, after.total_price < 0 && before.number != "")`,
		`after.items.all(i, i.name != "") && after.items[0].name == "Door" && after.items[1].id == null`,
		`after.items.map(i, i.total_price).sum() == after.total_price`,
		`after.items.filter(i, i.total_price < 0).map(i, -i.total_price).sum() * 10 > after.total_price`,
		`after.items.exists_one(i, i.count == decimal("-0.5")) && after.items.map(i, i.price).sum() == decimal("120.01")`,
		`[1, 2, 3].sum() == 6 && [1, 2].filter(x, x > 1) == [2]`,
		// dates and times, in the company's zone
		`after.date == date("2026-01-01") && after.date.getFullYear() == 2026 && after.date.getHours() == 0`,
		`after.date == timestamp("2025-12-31T23:00:00Z")`,
		`after.created_on.getFullYear() == 2026 && after.created_on.getHours() == 0 && after.created_on.getMinutes() == 30`,
		`timestamp("2026-06-30T22:00:00Z").getMonth() == 6 && timestamp("2026-06-30T22:00:00Z").getDate() == 1`,
		`now.getHours() == 10 && now.getDayOfWeek() == 0`,
		`now - after.date > duration("1400h") && now - duration("24h") < now && now > after.date`,
		`after.date.day() == "2026-01-01" && now.day() == "2026-03-01" && after.created_on.day() == "2026-01-01"`,
		`string(after.created_on) == "2026-01-01T00:30:00+01:00" && string(after.date) == "2026-01-01T00:00:00+01:00" && string(now) == "2026-03-01T10:00:00+01:00"`,
		`date("2026-03-29 01:30:00") + duration("1h") == date("2026-03-29 03:30:00")`,
		// texts
		`after.number.startsWith("R-") && after.number.endsWith("17") && after.number.contains("-")`,
		`after.number.matches("^R-[0-9]+$") && matches(after.number, "17")`,
		`" Ärger ".trim().lower() == "ärger" && "a".upper() == "A" && size("äöü") == 3`,
		`int("17") == 17 && "R-" + string(17) == after.number`,
		// facts
		`facts.unpaid_invoices(after.client_id).count == 3 && facts.unpaid_invoices(after.client_id).sum > 1000`,
		`facts.unpaid_invoices(31).oldest < now - duration("1440h") && facts.unpaid_invoices(31).oldest.day() == "2025-11-30"`,
		`facts.unpaid_invoices(99).count == 0 && facts.unpaid_invoices(99).oldest == null`,
		`facts.client_deals(after.client_id)[1] == 4 && facts.client_deals(31)[2] == 0 && 5 in facts.client_deals(31)`,
		`facts.user_deals(actor.id).total() == 6 && facts.user_deals(actor.id).total([1, 2]) == 4`,
		`facts.deal_invoices(after.deal_id).not_paid == 1 && facts.deal_invoices(58).closed == 6 && facts.deal_invoices(58).paid == 0 && facts.deal_invoices(58).cancelled == 0 && facts.deal_invoices(58).issued == 5`,
		`facts.deal_documents(after.deal_id).offers == 2 && facts.deal_documents(58).contracts == 1`,
		`facts.number_taken(after.performer_id, after.date.getFullYear(), after.number)`,
		`!facts.number_taken(after.performer_id, 2025, after.number) && facts.deal_documents(null).offers == 0`,
		// records
		`facts.client(after.client_id).email == "a@b.example" && facts.client(99) == null && facts.client(null) == null`,
		`facts.status(facts.deal(after.deal_id).status_id).name == "Won" && facts.performer(2).name == "Oak"`,
		`facts.user(facts.client(31).user_id).username == "ann" && facts.user(actor.id) != null`,
		`facts.client_contacts(31).exists(c, c.phone != "") && facts.deal_contacts(after.deal_id).size() == 2`,
		`facts.client_contacts(31)[1].client_id == 31 && facts.client_contacts(99).size() == 0`,
	} {
		if j := judge(t, text, sample()); !j.Passes || j.Err != nil {
			t.Errorf("%s: %+v", text, j)
		}
	}
}

func TestExpressionSeesNoRecordBeforeCreationOrAfterDeletion(t *testing.T) {
	created, deleted := sample(), sample()
	created.Before, deleted.After = nil, nil
	for text, in := range map[string]rule.Input{
		`before == null && operation == "create"`:                created,
		`before == null || before.status_id == 4`:                created,
		`before == null ? true : before.status_id == 4`:          created,
		`before.paid || operation == "create"`:                   created, // an error is no result beside true
		`!has(before.number)`:                                    created,
		`after == null && operation == "delete" && !before.paid`: deleted,
	} {
		if j := judge(t, text, in); !j.Passes || j.Err != nil {
			t.Errorf("%s: %+v", text, j)
		}
	}
	j := judge(t, `before.status_id == 1`, created)
	if j.Err == nil || j.Passes || !strings.Contains(j.Err.Error(), "before is null") {
		t.Errorf("an attribute of null: %+v", j)
	}
}
