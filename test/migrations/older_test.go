package migrations_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testserver"
	"github.com/kontor-crm/kontor/test/workload"
)

// office is a company whose lists the program of today shows.
type office struct {
	workload.Company

	address, token string
	keeping        sync.WaitGroup
	log            strings.Builder // of the keeper, to be read when it has ended
}

func found(t *testing.T) *office {
	t.Helper()
	o := &office{Company: workload.Found(t)}
	s := o.serve()
	o.address, o.token = s.URL, testserver.Token(t, s.Service, "boss", user.Admin)
	return o
}

// serve starts another service.
func (o *office) serve() testserver.Service {
	o.T.Helper()
	zone, err := postgres.Zone(o.T.Context(), o.URL)
	if err != nil {
		o.T.Fatal(err)
	}
	return testserver.On(o.T, o.URL, func(config *bootstrap.Config) { config.TimeZone = zone })
}

// keep runs a keeper until end is called.
func (o *office) keep() (end func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(o.T.Context()))
	o.keeping.Go(func() { pgsummary.NewKeeper(o.Pool, slog.New(slog.NewTextHandler(&o.log, nil))).Run(ctx) })
	return func() {
		cancel()
		o.keeping.Wait()
	}
}

// becomes waits until the models are whole, or until they are not.
func (o *office) becomes(want string) {
	o.T.Helper()
	const state = "select case when lists_whole and search_whole then 'whole' else 'not whole' end from readmodels"
	for end := time.Now().Add(30 * time.Second); o.Text(state) != want; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			o.T.Fatalf("the models are %s, want %s", o.Text(state), want)
		}
	}
}

// An older is a program of before the read models: it writes nothing into them, and
// no months of payments.
type older struct {
	*workload.Writer

	pool *pgxpool.Pool
}

// joins starts an older program whose connections have the name.
func (o *office) joins(name string) older {
	o.T.Helper()
	config, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		o.T.Fatal(err)
	}
	config.ConnConfig.RuntimeParams["application_name"] = name
	pool, err := pgxpool.NewWithConfig(o.T.Context(), config)
	if err != nil {
		o.T.Fatal(err)
	}
	o.T.Cleanup(pool.Close)
	c := o.Company
	c.Pool, c.Tx = pool, pgstore.NewTx(pool, []pgstore.Projection{pgstore.DealHistory{}})
	if err := pool.Ping(o.T.Context()); err != nil {
		o.T.Fatal(err)
	}
	return older{c.Writer(uint64(time.Now().UnixNano())), pool}
}

// writes has it write for a while.
func (p older) writes() {
	p.Steps(60)
	p.Execute("update invoices set paid_month = case when paid_on is null then 1 end")
}

// wrongTotals is the lists of today's program whose total is not that of the records,
// while nobody writes.
func (o *office) wrongTotals() (wrong []string) {
	o.T.Helper()
	for path, rows := range map[string]string{
		"client":                                 "clients",
		"client?type=2":                          "clients where type = 2",
		"client?name=nord":                       "clients where name_key like '%nord%'",
		"deal":                                   "deals",
		"offer":                                  "offers",
		"contract":                               "contracts",
		"invoice":                                "invoices",
		"invoice?number=100":                     "invoices where number_key like '%100%'",
		"invoice?paid_year=2025":                 "invoices where extract(year from paid_on) = 2025",
		"invoice?paid_month=1":                   "invoices where extract(month from paid_on) = 1",
		"invoice?user_id=2&paid_month=1&month=1": "invoices where user_id = 2 and extract(month from paid_on) = 1 and extract(month from date) = 1",
		"invoice-items":                          "invoice_items",
	} {
		want := o.Number("select count(*) from " + rows)
		if total, _ := ask(o.T.(*testing.T), o.address+"/rest/"+path, o.token); total != want {
			wrong = append(wrong, fmt.Sprintf("%s says %d of %d", path, total, want))
		}
	}
	return wrong
}

// isRight complains of wrong totals, and says how many there are.
func (o *office) isRight(when string) int {
	o.T.Helper()
	wrong := o.wrongTotals()
	if len(wrong) > 0 {
		o.T.Errorf("%s, %s", when, strings.Join(wrong, ", "))
	}
	return len(wrong)
}

// asksFirst has a service that was not asked before show the list: once a list has
// found that the models are not to be read, it takes others a second to ask again.
func (o *office) asksFirst(path, rows string) {
	o.T.Helper()
	total, _ := ask(o.T.(*testing.T), o.serve().URL+"/rest/"+path, o.token)
	if want := o.Number("select count(*) from " + rows); total != want || want == 0 {
		o.T.Errorf("asked first, %s says %d of %d", path, total, want)
	}
}

// contract 1.75, 1.76
func TestAnOlderProgramLeavesNoWrongTotal(t *testing.T) {
	t.Parallel()
	o := found(t)
	o.Writer(1).Steps(60)
	end := o.keep()
	o.isRight("before it comes")
	old := o.joins("kontor")
	o.becomes("not whole")
	looks, wrong := 0, 0
	for range 5 {
		old.writes()
		o.Writer(2).Steps(20)
		wrong += o.isRight("while it writes")
		looks++
	}
	o.asksFirst("invoice?user_id=2&paid_year=2025&year=2025",
		"invoices where user_id = 2 and extract(year from paid_on) = 2025 and extract(year from date) = 2025")
	if err := pgsummary.Rebuild(t.Context(), o.Pool); !errors.Is(err, pgsummary.ErrOlder) {
		t.Errorf("an operator's rebuild while it is there: %v", err)
	}
	time.Sleep(2 * time.Second) // a few looks of the keeper
	o.becomes("not whole")
	old.pool.Close()
	o.becomes("whole")
	o.isRight("when it has gone")
	o.Agrees("when it has gone")
	end()
	if log := o.log.String(); strings.Count(log, "older program is connected") != 1 || strings.Count(log, "read models rebuilt") != 2 {
		t.Errorf("the keeper says\n%s", log)
	}
	t.Logf("\nlooks at all lists while an older program wrote: %d\nwrong totals: %d", looks, wrong)
}

// The models are made anew too early, since nobody can tell the older program: that is
// what waiting for it prevents.
func TestAModelThatIsMadeWhileAnOlderProgramWritesIsFoundOut(t *testing.T) {
	t.Parallel()
	o := found(t)
	old := o.joins("nameless")
	old.writes()
	o.Rebuild()
	o.isRight("until it writes again")
	old.writes()
	wrong := o.wrongTotals()
	if len(wrong) == 0 || len(o.Differences()) == 0 {
		t.Fatal("nothing is wrong")
	}
	t.Logf("wrong totals: %d, such as %s", len(wrong), wrong[0])
}

// Programs of before there were levels ask nobody. What one of them writes before it is
// seen is missing from the totals only until then.
func TestAnOlderProgramThatComesLaterIsNoticed(t *testing.T) { // contract 1.76
	t.Parallel()
	o := found(t)
	o.Writer(1).Steps(60)
	o.isRight("before it comes")
	old := o.joins(fmt.Sprintf("kontor %d", 8))
	old.writes()
	if len(o.wrongTotals()) == 0 {
		t.Fatal("without a look nothing is wrong")
	}
	end := o.keep()
	o.becomes("not whole")
	o.isRight("when it is seen")
	old.pool.Close()
	o.becomes("whole")
	end()
	o.isRight("when it has gone")
	o.Agrees("when it has gone")
}

// contract 1.76
func TestAProgramThatIsTooOldGetsNoConnection(t *testing.T) {
	t.Parallel()
	o := found(t)
	other := pgtest.Pool(t, o.URL)
	level := int64(len(all(t))) + 1
	if met, err := postgres.Require(t.Context(), other, level); met || err != nil {
		t.Fatalf("while a program of today is connected: %v, %v", met, err)
	}
	if n := o.Number("select value::bigint from settings where name = 'lowest_level'"); n >= level {
		t.Errorf("programs are shut out while one of them serves: from %d on", n)
	}
	fresh := pgtest.URL(t)
	pool := pgtest.Pool(t, fresh)
	if err := postgres.KeepZone(t.Context(), fresh, "UTC"); err != nil {
		t.Fatal(err)
	}
	if met, err := postgres.Require(t.Context(), pool, level); !met || err != nil {
		t.Fatalf("while none is connected: %v, %v", met, err)
	}
	if met, err := postgres.Require(t.Context(), pool, 3); !met || err != nil {
		t.Fatalf("a lower level: %v, %v", met, err)
	}
	s := testserver.On(t, fresh)
	if status := statusOf(t, s.URL+"/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("a service that is too old answers %d", status)
	}
	_, _, err := s.Commands.Tokens.Issue(t.Context(), "nobody", time.Hour)
	old, ok := errors.AsType[postgres.TooOld](err)
	if !ok || !fault.Is(err, fault.Unavailable) || old != (postgres.TooOld{Level: level - 1, Lowest: level}) {
		t.Errorf("its commands end with %v", err)
	}
	err = bootstrap.Migrate(t.Context(), bootstrap.Config{DatabaseURL: fresh, TimeZone: "UTC"})
	if _, ok := errors.AsType[postgres.TooOld](err); !ok {
		t.Errorf("its start ends with %v", err)
	}
	if err := postgres.MigrateDownTo(t.Context(), fresh, 10); err != nil {
		t.Fatal(err)
	}
	migrateUp(t, fresh)
	if err := bootstrap.Migrate(t.Context(), bootstrap.Config{DatabaseURL: fresh, TimeZone: "UTC"}); err != nil {
		t.Errorf("after the migration was taken back: %v", err)
	}
}

// Whoever connects between the look and the lock of the door is seen by the second
// look.
func TestAnOlderProgramThatSlipsInIsWaitedForToo(t *testing.T) { // contract 1.76
	t.Parallel()
	o := found(t)
	o.Execute("update settings set value = '1' where name = 'lowest_level'")
	door := pgtest.Pool(t, o.URL)
	held, err := door.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Rollback(context.WithoutCancel(t.Context())) }()
	column[string](t, held, "select value from settings where name = 'lowest_level' for update")
	type answer struct {
		met bool
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		met, err := postgres.Require(t.Context(), o.Pool, 9)
		answered <- answer{met, err}
	}()
	awaitWaiting(t, door)
	old := o.joins("kontor 8")
	if err := held.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := <-answered; a.met || a.err != nil {
		t.Errorf("with an older program inside: %v, %v", a.met, a.err)
	}
	old.pool.Close()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		met, err := postgres.Require(t.Context(), o.Pool, 9)
		if err != nil || time.Now().After(end) {
			t.Fatalf("when it has gone: %v, %v", met, err)
		}
		if met {
			return
		}
	}
}

func statusOf(t *testing.T, url string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

// An older program reads what is ready: what is not whole is not, when it serves alone
// again.
func TestModelsThatAreNotWholeAreNotReadyOnTheWayBack(t *testing.T) { // contract 1.76
	t.Parallel()
	for state, ready := range map[string]bool{"true": true, "false": false} {
		url := pgtest.URL(t)
		pool := pgtest.Pool(t, url)
		if _, err := pool.Exec(t.Context(), "update readmodels set lists_whole = "+state+", search_whole = "+state); err != nil {
			t.Fatal(err)
		}
		if err := postgres.MigrateDownTo(t.Context(), url, 10); err != nil {
			t.Fatal(err)
		}
		got := column[bool](t, pool, "select unnest(array[lists_ready, search_ready]) from readmodels")
		if got[0] != ready || got[1] != ready {
			t.Errorf("models that were whole: %s, are ready: %v", state, got)
		}
		migrateUp(t, url)
		if column[bool](t, pool, "select lists_whole or search_whole from readmodels")[0] {
			t.Error("models that an older program may have served with are whole")
		}
	}
}
