package pgtrial_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/expression"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/adapters/postgres/pgtrial"
	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/application/trial"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// clock is that of this machine.
type clock struct{}

func (clock) Now() time.Time         { return time.Now() }
func (clock) Elapsed() time.Duration { return 0 }

// Run it with -benchtime 10x. Each iteration tries a rule on 300,000 clients, while another
// connection changes clients. In None it changes them alone, for a second each.
func BenchmarkTrial(b *testing.B) {
	const clients = 300_000
	pool := pgtest.Pool(b, pgtest.URL(b))
	o := fixture.Open(b, pgstore.NewTx(pool, nil))
	if _, err := pool.Exec(b.Context(), `
insert into clients (user_id, type, name, name_key, email, description, created_at, updated_at)
select $1, 1, 'Client ' || i, 'client ' || i, 'c' || i || '@example.org', repeat('text ', 20), now(), now()
from generate_series(3, $2::int) i`, o.Manager, clients); err != nil {
		b.Fatal(err)
	}
	if _, err := pool.Exec(b.Context(), "vacuum analyze clients"); err != nil {
		b.Fatal(err)
	}
	compiler := fixture.Must(expression.NewCompiler(time.UTC))
	registry := fixture.Must(rule.NewRegistry(compiler, nil))
	runner := trial.NewRunner(pgtrial.NewRules(pool), pgtrial.NewSnapshots(pool), registry, clock{})
	for name, text := range map[string]string{
		"Compare": `after.type == 1 || after.user_id != null`,
		"Text":    `after.name.size() > 0 && after.email.size() < 300`,
		"Fact":    `facts.user_deals(after.user_id).total() < 1000`,
	} {
		b.Run(name, func(b *testing.B) {
			candidate, err := runner.Unsaved(ruledef.Attributes{
				Name: optional.Some("x"), Resource: optional.Some("client"), On: optional.Some([]string{"update"}),
				Expression: optional.Some(text), Message: optional.Some("no"),
			})
			if err != nil {
				b.Fatal(err)
			}
			w := write(b, pool)
			for b.Loop() {
				found, err := runner.Run(b.Context(), candidate, access.Actor{}, func(ruledef.Findings) {})
				if err != nil || found.Passed != clients {
					b.Fatal(found.Passed, err)
				}
			}
			b.ReportMetric(float64(b.N)*clients/b.Elapsed().Seconds(), "records/s")
			w.report(b)
		})
	}
	b.Run("None", func(b *testing.B) {
		w := write(b, pool)
		for b.Loop() {
			time.Sleep(time.Second)
		}
		w.report(b)
	})
}

// writer changes clients, one after another, until it reports.
type writer struct {
	stop  context.CancelFunc
	ended chan struct{}
	took  []time.Duration // of the changes
}

func write(b *testing.B, pool *pgxpool.Pool) *writer {
	b.Helper()
	ctx, stop := context.WithCancel(b.Context())
	w := &writer{stop: stop, ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		for id := 0; ctx.Err() == nil; id++ {
			began := time.Now()
			if _, err := pool.Exec(ctx, "update clients set version = version + 1 where id = $1", id%300_000); err == nil {
				w.took = append(w.took, time.Since(began))
			}
		}
	}()
	return w
}

// report ends the changes and reports their rate, and the time that all but one in a hundred take.
func (w *writer) report(b *testing.B) {
	b.Helper()
	elapsed := b.Elapsed()
	w.stop()
	<-w.ended
	slices.Sort(w.took)
	b.ReportMetric(float64(len(w.took))/elapsed.Seconds(), "writes/s")
	b.ReportMetric(float64(w.took[len(w.took)*99/100].Microseconds()), "p99-µs/write")
}
