package rule

import (
	"context"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/payment"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Registry holds the rules and reactions of a program.
type Registry struct {
	aggregates map[string]any // aggregate[S] of the kind, by resource

	compiler Compiler
	observer Observer
	elapsed  func() time.Duration
	names    map[string]bool // of rules and reactions
	compiled []Compiled
	tried    map[string]Expression // the compiled rules, by name
	facts    repository.FactKinds

	current   atomic.Pointer[Set] // the set that was used last
	compiling singleflight.Group  // of sets, by version
}

// aggregate holds the rules and reactions of one resource, in the order in which they are
// called.
type aggregate[S any] struct {
	rules     []Rule[S]
	reactions []Reaction[S]
}

// Compiled describes a rule that is compiled into the program.
type Compiled struct {
	Name       string
	Resource   string
	Mode       ruledef.Mode // without a stored one
	Adjustable bool         // the mode may be changed
}

// Observer receives the verdicts of finished writes.
type Observer interface {
	// Observe receives the verdicts of one write that was committed or refused. It is not
	// called for dry runs and for writes that failed for another reason, such as an outage. It
	// must not block.
	Observe(verdicts []Verdict)
}

// Option adds rules or reactions to a registry.
type Option func(*Registry) error

// NewRegistry returns a registry with the options applied. c compiles typed rules; if it is
// nil, they cannot be evaluated. o may be nil. An invalid or duplicate name is an error.
func NewRegistry(c Compiler, o Observer, options ...Option) (*Registry, error) {
	if c == nil {
		c = noCompiler{}
	}
	r := &Registry{
		aggregates: map[string]any{},
		compiler:   c,
		observer:   o,
		elapsed:    func() time.Duration { return 0 },
		names:      map[string]bool{},
		tried:      map[string]Expression{},
	}
	for _, add := range options {
		if err := add(r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Timed sets the clock that measures how long each rule runs, such as ports.Clock's Elapsed.
func Timed(elapsed func() time.Duration) Option {
	return func(r *Registry) error {
		r.elapsed = elapsed
		return nil
	}
}

// Compiled returns the rules that are compiled into the program, in the order of registration.
func (r *Registry) Compiled() []Compiled { return r.compiled }

// Has reports whether a compiled rule or reaction has the name.
func (r *Registry) Has(name string) bool { return r.names[name] }

// Compiler returns the compiler of typed rules.
func (r *Registry) Compiler() Compiler { return r.compiler }

// Observe passes the verdicts of a finished write to the observer, if there is one.
func (r *Registry) Observe(verdicts []Verdict) {
	if r.observer != nil && len(verdicts) > 0 {
		r.observer.Observe(verdicts)
	}
}

// Kind is a resource whose records have the state S.
type Kind[S any] struct {
	Resource string // its name in the API
	id       func(s S) int64
	withID   func(s S, id int64) S
}

// The resources that can have rules.
var (
	Users        = KindOf("user", func(s *user.State) *user.ID { return &s.ID })
	Statuses     = KindOf("status", func(s *catalog.StatusState) *catalog.StatusID { return &s.ID })
	DealTypes    = KindOf("deal-type", func(s *catalog.LabelState[catalog.DealTypeID]) *catalog.DealTypeID { return &s.ID })
	InvoiceTypes = KindOf("invoice-type", func(s *catalog.LabelState[catalog.InvoiceTypeID]) *catalog.InvoiceTypeID { return &s.ID })
	Performers   = KindOf("performer", func(s *performer.State) *performer.ID { return &s.ID })
	Clients      = KindOf("client", func(s *client.State) *client.ID { return &s.ID })
	Contacts     = KindOf("contact", func(s *contact.State) *contact.ID { return &s.ID })
	Payments     = KindOf("payment", func(s *payment.State) *payment.ID { return &s.ID })
	Deals        = KindOf("deal", func(s *deal.State) *deal.ID { return &s.ID })
	Offers       = KindOf("offer", func(s *agreement.State[agreement.OfferID]) *agreement.OfferID { return &s.ID })
	Contracts    = KindOf("contract", func(s *agreement.State[agreement.ContractID]) *agreement.ContractID { return &s.ID })
	Invoices     = KindOf("invoice", func(s *invoice.State) *invoice.ID { return &s.ID })
)

// KindOf returns the kind of a resource; id returns a pointer to the id in a state.
func KindOf[S any, ID ~int64](resource string, id func(s *S) *ID) Kind[S] {
	return Kind[S]{
		Resource: resource,
		id:       func(s S) int64 { return int64(*id(&s)) },
		withID:   func(s S, value int64) S { *id(&s) = ID(value); return s },
	}
}

// aggregate returns the rules and reactions of the kind; empty if there are none.
func (k Kind[S]) aggregate(r *Registry) aggregate[S] {
	all, _ := r.aggregates[k.Resource].(aggregate[S])
	return all
}

// WithID returns the state s with the id that a new record got when it was stored.
func (k Kind[S]) WithID(s S, id int64) S { return k.withID(s, id) }

// IDOf returns the id of the changed record; zero if it is not stored yet.
func (k Kind[S]) IDOf(c Change[S]) int64 {
	if c.After != nil {
		return k.id(*c.After)
	}
	return k.id(*c.Before)
}

// recordOf returns the changed record.
func (k Kind[S]) recordOf(c Change[S]) repository.Record {
	return repository.Record{Resource: k.Resource, ID: k.IDOf(c)}
}

// Rules adds rules of this kind to a registry, after those added before.
func (k Kind[S]) Rules(rules ...Rule[S]) Option {
	return func(r *Registry) error {
		for _, added := range rules {
			c := Compiled{Name: added.Name(), Resource: k.Resource, Mode: ruledef.Enforce}
			if a, ok := added.(Adjustable); ok {
				c.Mode, c.Adjustable = a.DefaultMode(), true
			}
			if err := r.name(c.Name, added); err != nil {
				return err
			}
			r.compiled = append(r.compiled, c)
			r.tried[c.Name] = triedRule[S]{added, k}
			all := k.aggregate(r)
			all.rules = append(all.rules, added)
			r.aggregates[k.Resource] = all
		}
		return nil
	}
}

// Reactions adds reactions to changes of this kind to a registry, after those added before.
func (k Kind[S]) Reactions(reactions ...Reaction[S]) Option {
	return func(r *Registry) error {
		for _, added := range reactions {
			if err := r.name(added.Name(), added); err != nil {
				return err
			}
			all := k.aggregate(r)
			all.reactions = append(all.reactions, added)
			r.aggregates[k.Resource] = all
		}
		return nil
	}
}

// ReactionsOf returns the reactions to changes of this kind, in the order of registration.
func (k Kind[S]) ReactionsOf(r *Registry) []Reaction[S] { return k.aggregate(r).reactions }

// factless is implemented by rules that use no facts, so that writes need no locks for them.
type factless interface{ asksNoFacts() }

func (r *Registry) name(name string, added any) error {
	if !ruledef.IsName(name) {
		return fmt.Errorf("%T: the name %q must have 1 to %d lower-case letters, digits, dots, underscores and hyphens",
			added, name, ruledef.MaxName)
	}
	if r.names[name] {
		return fmt.Errorf("%T: another rule or reaction has the name %q", added, name)
	}
	if _, ok := added.(factless); !ok {
		r.facts = repository.AllFacts
	}
	r.names[name] = true
	return nil
}

// Set returns the rules of the program together with the stored ones. A stored rule that does
// not compile, for example because it uses an attribute that was removed from the program,
// fails for each change. Rules are compiled once for all writes that need them; a write stops
// waiting for that when its context ends.
func (r *Registry) Set(ctx context.Context, stored repository.RuleSet) (*Set, error) {
	if last := r.current.Load(); last != nil && last.version == stored.Version {
		return last, nil
	}
	compiled := r.compiling.DoChan(strconv.FormatInt(stored.Version, 10), func() (set any, err error) {
		defer func() {
			if cause := recover(); cause != nil { // it would end the program
				err = fmt.Errorf("compile the rules: a panic: %v\n%s", cause, debug.Stack())
			}
		}()
		last := r.current.Load()
		if last != nil && last.version == stored.Version {
			return last, nil
		}
		s := newSet(r, stored, last)
		r.current.Store(s)
		return s, nil
	})
	select {
	case result := <-compiled:
		set, _ := result.Val.(*Set)
		return set, result.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
