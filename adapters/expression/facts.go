package expression

import (
	"context"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/ports/repository"
)

var factsKind = newKind("facts")

// The kinds of answers.
var (
	unpaidKind = newKind("unpaid invoices",
		intOf("count", func(a *repository.Answer) int { return a.Count }),
		numberOf("sum", func(a *repository.Answer) money.Number { return a.Sum.Number() }),
		dateOf("oldest", func(a *repository.Answer) time.Time { return a.Oldest }),
	)
	dealInvoicesKind = newKind("deal invoices",
		intOf("not_paid", func(a *repository.Answer) int { return a.ByState[invoice.NotPaid] }),
		intOf("paid", func(a *repository.Answer) int { return a.ByState[invoice.Paid] }),
		intOf("closed", func(a *repository.Answer) int { return a.ByState[invoice.Closed] }),
		intOf("cancelled", func(a *repository.Answer) int { return a.ByState[invoice.Cancelled] }),
		intOf("issued", func(a *repository.Answer) int { return a.Issued }),
	)
	dealAgreementsKind = newKind("deal documents",
		intOf("offers", func(a *repository.Answer) int { return a.Offers }),
		intOf("contracts", func(a *repository.Answer) int { return a.Contracts }),
	)
)

var countsType = cel.MapType(cel.IntType, cel.IntType)

// counts is a map of numbers, which has 0 for every other key.
type counts struct {
	traits.Mapper
}

func newCounts[ID ~int64](numbers map[ID]int) counts {
	values := make(map[ref.Val]ref.Val, len(numbers))
	for id, n := range numbers {
		values[types.Int(id)] = types.Int(n)
	}
	return counts{types.NewRefValMap(types.DefaultTypeAdapter, values)}
}

func (c counts) Find(key ref.Val) (ref.Val, bool) {
	if v, ok := c.Mapper.Find(key); ok {
		return v, true
	}
	return types.IntZero, true
}

func (c counts) Get(key ref.Val) ref.Val {
	v, _ := c.Find(key)
	return v
}

// total adds the numbers for the keys of a list, or all.
func (c counts) total(keys ref.Val) ref.Val {
	var sum int64
	for it := keys.(traits.Iterable).Iterator(); it.HasNext() == types.True; {
		n, ok := c.Get(it.Next()).(types.Int)
		if !ok {
			return types.NewErr("the total of what is not a number")
		}
		sum += int64(n)
	}
	return types.Int(sum)
}

// fact is a function of the variable facts.
type fact struct {
	asks   repository.FactKind
	kind   *kind     // of the record, or of the elements of the list; nil if it yields neither
	result *cel.Type // nil: the function takes more than an id
	value  func(f *record, a repository.Answer) ref.Val
}

var factsByName = map[string]fact{
	"unpaid_invoices": summary(repository.UnpaidInvoicesOfClient, unpaidKind),
	"client_deals":    numbers(repository.DealsOfClient),
	"user_deals":      numbers(repository.DealsOfUser),
	"deal_invoices":   summary(repository.InvoicesOfDeal, dealInvoicesKind),
	"deal_documents":  summary(repository.AgreementsOfDeal, dealAgreementsKind),
	"number_taken":    {asks: repository.NumberTaken},
	"statuses":        {asks: repository.StatusList, kind: statusKind},
	"client_contacts": contacts(repository.ContactsOfClient),
	"deal_contacts":   contacts(repository.ContactsOfDeal),
	"client":          single(repository.ClientRecord, clientKind),
	"deal":            single(repository.DealRecord, dealKind),
	"status":          single(repository.StatusRecord, statusKind),
	"performer":       single(repository.PerformerRecord, performerKind),
	"user":            single(repository.UserRecord, userKind),
}

// summary is a fact whose value has attributes of the answer.
func summary(asks repository.FactKind, k *kind) fact {
	return fact{asks, k, k.typ, func(f *record, a repository.Answer) ref.Val { return &record{kind: k, state: &a, in: f.in} }}
}

// single is a fact that is a record, or null.
func single(asks repository.FactKind, k *kind) fact {
	return fact{asks, k, k.typ, func(f *record, a repository.Answer) ref.Val {
		return orNull(&record{kind: k, state: a.Record, in: f.in})
	}}
}

func numbers(asks repository.FactKind) fact {
	return fact{asks, nil, countsType, func(_ *record, a repository.Answer) ref.Val { return newCounts(a.ByStatus) }}
}

func contacts(asks repository.FactKind) fact {
	return fact{asks, contactKind, cel.ListType(contactKind.typ), func(f *record, a repository.Answer) ref.Val {
		return listOf(f.in, contactKind, a.Contacts)
	}}
}

// factFunctions are the functions of the variable facts, and those of their results. A
// question about null, or about a record that does not exist, has the answer 0, or null.
func factFunctions() []cel.EnvOption {
	options := []cel.EnvOption{
		cel.Function("number_taken", unguarded, cel.MemberOverload("facts_number_taken",
			[]*cel.Type{factsKind.typ, idType, cel.IntType, cel.StringType}, cel.BoolType,
			cel.FunctionBinding(numberTaken))),
		cel.Function("statuses", cel.MemberOverload("facts_statuses", []*cel.Type{factsKind.typ}, cel.ListType(statusKind.typ),
			cel.UnaryBinding(func(f ref.Val) ref.Val {
				return ask(f, repository.AllStatuses, func(f *record, a repository.Answer) ref.Val { return listOf(f.in, statusKind, a.Statuses) })
			}))),
		cel.Function("total", unguarded,
			cel.MemberOverload("total_of_all", []*cel.Type{countsType}, cel.IntType,
				cel.UnaryBinding(func(c ref.Val) ref.Val { return totalOf(c, c) })),
			cel.MemberOverload("total_of_some", []*cel.Type{countsType, cel.ListType(cel.IntType)}, cel.IntType,
				cel.BinaryBinding(totalOf))),
	}
	for name, fact := range factsByName {
		if fact.result != nil {
			arguments := []*cel.Type{factsKind.typ, idType}
			options = append(options, cel.Function(name, unguarded, cel.MemberOverload("facts_"+name, arguments, fact.result,
				cel.BinaryBinding(func(f, id ref.Val) ref.Val {
					return ask(f, repository.Question{Kind: fact.asks, ID: idFrom(id)}, fact.value)
				}))))
		}
	}
	return options
}

func totalOf(c, keys ref.Val) ref.Val {
	numbers, ok := c.(counts)
	if !ok {
		return types.NewErr("only the numbers of deals have a total")
	}
	return numbers.total(keys)
}

func numberTaken(args ...ref.Val) ref.Val {
	year, ok := args[2].(types.Int)
	number, isText := args[3].(types.String)
	if !ok || !isText {
		return types.NewErr("number_taken: the year or the number is null")
	}
	q := repository.Question{
		Kind: repository.NumberTaken, ID: idFrom(args[1]), Year: int(year), Number: string(number),
	}
	return ask(args[0], q, func(_ *record, a repository.Answer) ref.Val { return types.Bool(a.IsTaken) })
}

func idFrom(v ref.Val) int64 {
	id, _ := v.(types.Int)
	return int64(id)
}

// ask returns the value of the answer to a question, or unknown. Nothing is asked about no record.
func ask(facts ref.Val, q repository.Question, value func(f *record, a repository.Answer) ref.Val) ref.Val {
	f, ok := facts.(*record)
	if !ok {
		return types.MaybeNoSuchOverloadErr(facts)
	}
	if q.ID <= 0 {
		return value(f, repository.Answer{})
	}
	a, missing := f.in.answer(q)
	if missing != nil {
		return missing
	}
	return value(f, a)
}

// items are all lines of an invoice. They are listed once for each evaluation.
func items(r *record) ref.Val {
	cached := &r.in.afterItems
	if r == &r.in.before {
		cached = &r.in.beforeItems
	}
	if *cached == nil {
		lines, missing := allLines(r)
		if missing != nil {
			return missing
		}
		*cached = listOf(r.in, lineKind, lines)
	}
	return *cached
}

// allLines are those of the state, if these are all, else with the stored ones.
func allLines(r *record) (lines []invoice.Line, missing ref.Val) {
	s := r.state.(*invoice.State)
	if len(s.Lines) == s.TotalCount {
		return s.Lines, nil
	}
	a, missing := r.in.answer(repository.Question{Kind: repository.LinesOfInvoice, ID: int64(s.ID)})
	if missing != nil || r == &r.in.before {
		return a.Lines, missing
	}
	before, _ := r.in.Before.(*invoice.State)
	lines, err := rule.Lines(context.Background(), rule.Change[invoice.State]{Before: before, After: s, Facts: storedLines{lines: a.Lines}})
	if err != nil {
		return nil, types.WrapErr(err)
	}
	return lines, nil
}

// storedLines are the facts that rule.Lines needs, which are known already.
type storedLines struct {
	rule.Facts
	lines []invoice.Line
}

// InvoiceLines returns the stored lines, whichever the invoice.
func (s storedLines) InvoiceLines(context.Context, invoice.ID) ([]invoice.Line, error) {
	return s.lines, nil
}
