package pgread_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/workload"
)

// containing compares the first pages of a search of the name or number with the
// records.
func (b listCheck[F]) containing(ctx context.Context, db querier, text string, sizes ...int) error {
	a := &asked{company: b.company}
	a.that(fmt.Sprintf(part, "r."+b.key), textkey.Of(text))
	l, err := b.ordered(ctx, db, a, b.called(text), "", query.Parameters{Fields: optional.Some("id")})
	if err != nil {
		return err
	}
	for _, size := range sizes {
		rows, err := l.page(ctx, "the page", readmodel.Page{Number: 1, Size: size}, 0, size)
		if err != nil {
			return err
		}
		if rows.Next == "" {
			continue
		}
		if _, err := l.page(ctx, "the page behind it", readmodel.Page{Number: 2, Size: size, Cursor: rows.Next}, size, 2*size); err != nil {
			return err
		}
	}
	return nil
}

// contract 4.43, 4.45
func TestSearchTotalIsExactAfterChangesAreDeleted(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	w := c.Writer(40)
	w.Steps(60)
	checks := c.listChecks(c.Pool)
	reads := func(when string) {
		for _, b := range checks {
			if err := b.containing(t.Context(), c.Pool, "süd", 5); err != nil {
				t.Errorf("%s: %v", when, err)
			}
		}
	}
	c.Fold()
	reads("counted")
	counted := c.Number("select oldest_open_batch from read_model_state")
	w.Steps(5)
	reads("with open changes")
	c.Fold()
	reads("with folded changes")
	// Fold so much between two reads that changes are deleted.
	for range 1000 {
		c.Execute("update read_model_positions set reached_at = '-infinity'")
		if c.Number("select oldest_retained_batch from read_model_state") > counted+20 {
			break
		}
		w.Steps(1)
		c.Fold()
	}
	if oldest := c.Number("select oldest_retained_batch from read_model_state"); oldest <= counted+20 {
		t.Fatalf("changes are retained from batch %d on, which includes those of %d", oldest, counted)
	}
	reads("deleted")
	w.Steps(5)
	reads("with open changes again")
}

// contract 4.43, 4.45
func TestCachedMatchCountIsNotUsedWhileReadModelsAreNotReady(t *testing.T) {
	t.Parallel()
	for turn, what := range []string{"texts", "texts and figures", "figures"} {
		c := newCompany(t)
		c.Writer(43).Steps(60)
		checks := c.listChecks(c.Pool)
		reads := func(when string) {
			for _, b := range checks {
				if err := b.containing(t.Context(), c.Pool, "süd", 5); err != nil {
					t.Errorf("%s: %v", when, err)
				}
			}
		}
		reads("counted")
		c.corrupt(turn)
		reads(what + " are not ready")
		c.Rebuild()
		reads("rebuilt")
	}
}

// contract 4.45
func TestSearchStartsWithANewerMatch(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.fill()
	clients := c.listChecks(c.Pool)[0]
	reads := func(when string) {
		t.Helper()
		if err := clients.containing(t.Context(), c.Pool, "Süd", 10, 3); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	reads("counted")
	reads("known")
	for year := 2040; year < 2043; year++ {
		id := c.addClient("Süd "+strconv.Itoa(year), time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))
		reads("a newer one added")
		c.Fold()
		reads("and folded")
		if year == 2041 {
			c.work(workload.Removing(id, func(s repository.Stores) workload.Store[client.ID, *client.Client] { return s.Clients }))
			reads("and removed")
		}
	}
}

// contract 4.43, 4.45
func TestSearchOfFewMatchesIsExactAsTheyChange(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(47).Steps(20)
	clients := c.listChecks(c.Pool)[0]
	reads := func(when string, numbers ...int) {
		t.Helper()
		if err := clients.containing(t.Context(), c.Pool, "quendel", 3, 500); err != nil {
			t.Errorf("%s %v: %v", when, numbers, err)
		}
	}
	reads("there are none")
	ids := make([]client.ID, 0, 130)
	for n := range cap(ids) {
		ids = append(ids, c.addClient("Quendel "+strconv.Itoa(n), time.Date(2020, 1, 1, 0, 0, n, 0, time.UTC)))
		if n%10 < 3 {
			reads("added", n)
			c.Fold()
			reads("folded", n)
		}
	}
	for n, id := range ids {
		if n%2 == 0 {
			c.work(workload.Removing(id, func(s repository.Stores) workload.Store[client.ID, *client.Client] { return s.Clients }))
		} else {
			c.rename(id, "Thyme")
		}
		if n%10 < 2 {
			reads("gone", n)
		}
	}
	clients = c.listChecks(c.Pool)[0] // with an empty cache
	reads("counted by a new reader")
	c.rename(ids[1], "Quendel again")
	reads("named so again")
	c.Fold()
	c.rename(ids[1], "Thyme again")
	reads("and not any more")
}

func (c company) addClient(name string, at time.Time) (id client.ID) {
	c.T.Helper()
	company := fixture.Company()
	company.Name = optional.Some(name)
	a, err := client.New(c.Office.Other, company, at)
	if err != nil {
		c.T.Fatal(err)
	}
	c.work(func(ctx context.Context, s repository.Stores) error {
		id, err = s.Clients.Add(ctx, a)
		return err
	})
	return id
}

func (c company) rename(id client.ID, name string) {
	c.T.Helper()
	c.work(func(ctx context.Context, s repository.Stores) error {
		a, err := s.Clients.Lock(ctx, id)
		if err != nil {
			return err
		}
		if err := a.Update(client.Attributes{Name: optional.Some(name)}, time.Now()); err != nil {
			return err
		}
		return s.Clients.Save(ctx, a)
	})
}

// work is one unit of work.
func (c company) work(w workload.Work) {
	c.T.Helper()
	if err := c.Tx.Do(c.T.Context(), repository.Meta{UserID: c.Office.Other, At: time.Now()}, w); err != nil {
		c.T.Fatal(err)
	}
}

// contract 4.32, 4.45, 4.83
func TestSearchFindsMatchesFarFromTheStart(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	// Three of the newest clients have the name of the oldest ones. Reading in order
	// stops long before these.
	c.Execute("update read_model_state set lists_ready = false, search_ready = false", fmt.Sprintf(`
insert into clients (user_id, type, name, name_key, created_at, updated_at)
select %d, 1, 'Client', case when n < 700 or n > 11990 and n %% 3 = 0 then 'süd ' else 'nord ' end || n, at, at
from (select n, timestamptz '2020-01-01' + interval '1 hour' * (n / 2) as at from generate_series(1, 12000) n) x`, c.Office.Other))
	c.Rebuild()
	if n := c.Number("select count(*) from page_index where list = 'clients'"); n < 3 {
		t.Fatalf("the list has %d segments", n)
	}
	clients := c.listChecks(c.Pool)[0]
	for range 2 { // the second time with a cached count
		if err := clients.containing(t.Context(), c.Pool, "Süd", 2, 3, 10, 20, 1); err != nil {
			t.Error(err)
		}
	}
	c.Writer(41).Steps(20)
	chance := rand.New(rand.NewPCG(42, 7))
	for range 10 {
		if err := clients.check(t.Context(), c.Pool, chance); err != nil {
			t.Fatal(err)
		}
	}
}
