package pgread_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// intercepted is a pool that calls before each query of a reader, with its number.
type intercepted struct {
	*pgxpool.Pool
	before func(n int)

	mu      sync.Mutex
	queries []string
}

func (i *intercepted) record(sql string) {
	i.mu.Lock()
	i.queries = append(i.queries, sql)
	n := len(i.queries)
	i.mu.Unlock()
	i.before(n)
}

// counts is how many of the queries count matches.
func (i *intercepted) counts() (n int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, sql := range i.queries {
		if strings.Contains(sql, "from matching") {
			n++
		}
	}
	return n
}

func (i *intercepted) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	i.record(sql)
	return i.Pool.Query(ctx, sql, args...)
}

func (i *intercepted) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	tx, err := i.Pool.BeginTx(ctx, options)
	return interceptedTx{tx, i}, err
}

type interceptedTx struct {
	pgx.Tx
	of *intercepted
}

func (t interceptedTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	t.of.record(sql)
	return t.Tx.Query(ctx, sql, args...)
}

// forgetChanges folds, and deletes the changes of all batches that are folded.
func (c company) forgetChanges() {
	c.T.Helper()
	c.Writer(71).Steps(5)
	c.Fold()
	c.Execute("update read_model_state set oldest_retained_batch = oldest_open_batch")
	for _, table := range []string{"client_changes", "deal_changes", "offer_changes", "contract_changes", "invoice_changes"} {
		c.Execute("delete from " + table + " where batch_id < (select oldest_retained_batch from read_model_state)")
	}
}

// searchedClients is the first page of the clients with "süd" in their names.
func searchedClients(t *testing.T) readmodel.Query[readmodel.ClientFilter] {
	t.Helper()
	shown, err := query.Select(readmodel.Clients, query.Parameters{Fields: optional.Some("id")})
	if err != nil {
		t.Fatal(err)
	}
	sort, err := query.SortBy(readmodel.Clients, "")
	if err != nil {
		t.Fatal(err)
	}
	return readmodel.Query[readmodel.ClientFilter]{
		Filter: readmodel.ClientFilter{Name: "süd"}, Sort: sort, Select: shown, Page: readmodel.Page{Number: 1, Size: 5},
	}
}

// contract 4.43, 4.45
func TestFirstSearchIsAnsweredByItsCountEvenIfChangesAreDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(70).Steps(60)
	db := &intercepted{Pool: c.Pool}
	db.before = func(n int) {
		if n == 2 { // between the count and the page
			c.forgetChanges()
		}
	}
	want := c.Number("select count(*) from clients where name_key like '%süd%'")
	rows, err := pgread.NewClients(db).List(t.Context(), searchedClients(t))
	if err != nil || rows.Total != want || int64(rows.Len()) != min(want, 5) || want == 0 {
		t.Fatalf("the list has %v, want %d clients; %v", rows, want, err)
	}
	if len(db.queries) != 2 || db.counts() != 1 {
		t.Errorf("%d queries, of which %d count; want a count and a page", len(db.queries), db.counts())
	}
}

// contract 4.43, 4.45
func TestIdenticalFirstSearchesCountOnce(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(72).Steps(60)
	counting, release := make(chan struct{}), make(chan struct{})
	db := &intercepted{Pool: c.Pool}
	db.before = func(n int) {
		if n == 1 {
			close(counting)
			<-release
		}
	}
	clients := pgread.NewClients(db)
	want := c.Number("select count(*) from clients where name_key like '%süd%'")
	var all sync.WaitGroup
	defer all.Wait()
	search := func(ctx context.Context, isCancelled bool) {
		all.Go(func() {
			rows, err := clients.List(ctx, searchedClients(t))
			switch {
			case isCancelled && err == nil:
				t.Error("a search that is cancelled has a result")
			case !isCancelled && (err != nil || rows.Total != want):
				t.Errorf("the list has %v, want %d clients; %v", rows, want, err)
			}
		})
	}
	becomes := func(want int) {
		for end := time.Now().Add(20 * time.Second); pgread.Waiting(clients) != want; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d searches want the count, want %d", pgread.Waiting(clients), want)
			}
		}
	}
	first, leave := context.WithCancel(t.Context())
	search(first, true)
	<-counting
	other, leaveToo := context.WithCancel(t.Context())
	search(other, true)
	for range 6 {
		search(t.Context(), false)
	}
	becomes(8)
	leave()
	leaveToo()
	becomes(6)
	close(release)
	all.Wait()
	if n := db.counts(); n != 1 {
		t.Errorf("%d counts, want one", n)
	}
}

func TestFirstSearchThatNobodyWantsIsCancelled(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx, leave := context.WithCancel(t.Context())
	db := &intercepted{Pool: c.Pool, before: func(int) { leave() }}
	clients := pgread.NewClients(db)
	if rows, err := clients.List(ctx, searchedClients(t)); err == nil {
		t.Errorf("the list is %v, want an error", rows)
	}
	if n := pgread.Waiting(clients); n != 0 {
		t.Errorf("%d searches want the count", n)
	}
	db.before = func(int) {}
	if _, err := clients.List(t.Context(), searchedClients(t)); err != nil {
		t.Errorf("the next search: %v", err)
	}
}
