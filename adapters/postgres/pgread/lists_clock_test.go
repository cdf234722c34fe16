package pgread_test

import (
	"context"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// Segments of a list are ranges of the time of creation, which is not the order of
// insertion if the clock is set: each jump inserts before, within or behind the
// present segments.
//
// contract 4.13, 4.16, 4.43, 4.84, 4.91
func TestPageIndexIsExactAfterTheClockJumps(t *testing.T) {
	t.Parallel()
	pgtest.SkipOnCitus(t, "Citus refuses the statement that splits the page index")
	c := newCompany(t)
	clients := c.listChecks(c.Pool)[0]
	at := fixture.At
	const hour, day, decade = time.Hour, 24 * time.Hour, 10 * 365 * 24 * time.Hour
	for turn, jump := range []time.Duration{0, hour, -hour, day, -day, decade, -decade, -day, 2 * decade, -3 * decade} {
		at = at.Add(jump)
		fixture.Do(t, c.Tx, c.Office.Manager, func(ctx context.Context, s repository.Stores) error {
			for range 150 {
				at = at.Add(time.Second)
				if _, err := s.Clients.Add(ctx, fixture.Must(client.New(c.Office.Manager, fixture.Company(), at))); err != nil {
					return err
				}
			}
			return nil
		})
		if turn%3 != 2 {
			continue
		}
		if err := clients.pageThrough(t.Context(), c.Pool); err != nil {
			t.Fatalf("after %s, not folded: %v", jump, err)
		}
		c.Fold()
		if !c.Agrees("after " + jump.String()) {
			return
		}
		c.splitPageIndex()
	}
	if err := clients.pageThrough(t.Context(), c.Pool); err != nil {
		t.Error(err)
	}
	if n := c.Number("select count(*) from page_index where list = 'clients'"); n < 2 {
		t.Errorf("the list has %d segment, want several", n)
	}
}
