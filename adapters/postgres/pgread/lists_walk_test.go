package pgread_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// contract 2.57, 4.13, 4.14, 4.15, 4.83, 4.84
func TestPagesOfAListContainEachRecordOnce(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	w := c.Writer(11)
	w.Steps(250)
	c.Fold()
	w.Steps(20) // which are not folded
	for _, b := range c.listChecks(c.Pool) {
		t.Run(b.name(), func(t *testing.T) {
			t.Parallel()
			n := c.Number("select count(*) from " + b.name())
			if n < 15 || n > 200 {
				t.Fatalf("%d records, want 15 to 200", n)
			}
			if err := b.walk(t.Context(), c.Pool, rand.New(rand.NewPCG(12, 7))); err != nil {
				t.Error(err)
			}
		})
	}
}

// hasCursors reports whether the pages in the order have cursors: those in the order of
// a long text have none.
func (b listCheck[F]) hasCursors(sort string) bool {
	name := strings.TrimPrefix(sort, "-")
	return name != "name" || b.table != "invoice_lines"
}

func (b listCheck[F]) walk(ctx context.Context, db querier, chance *rand.Rand) error {
	for _, name := range b.resource.SortNames() {
		for _, sort := range []string{name, "-" + name} {
			var all F
			for _, size := range []int{1, 7, 500} {
				if size == 1 && sort != name {
					continue // such pages are walked backwards too
				}
				if err := b.walkBy(ctx, db, &asked{company: b.company, Rand: chance}, all, sort, size); err != nil {
					return err
				}
			}
			for range 2 {
				a := &asked{company: b.company, Rand: chance}
				if err := b.walkBy(ctx, db, a, b.ask(a), sort, 7); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (b listCheck[F]) pageThrough(ctx context.Context, db querier) error {
	for _, sort := range []string{b.resource.DefaultSort, "-" + b.resource.DefaultSort} {
		var all F
		if err := b.walkBy(ctx, db, &asked{company: b.company}, all, sort, 200); err != nil {
			return err
		}
	}
	return nil
}

// walkBy goes through the list in one order: by the numbers of the pages, by the
// cursors from the first page to the end, and by those from a page in the middle
// back to the start.
func (b listCheck[F]) walkBy(ctx context.Context, db querier, a *asked, filter F, sort string, size int) error {
	l, err := b.ordered(ctx, db, a, filter, sort, query.Parameters{Fields: domain.Some("id")})
	if err != nil {
		return err
	}
	if err := l.checkExport(ctx, size); err != nil {
		return err
	}
	hasCursors := b.hasCursors(sort)
	middle := len(l.want) / size / 2 * size // where a page begins
	for from := 0; from == 0 || from < len(l.want); from += size {
		p := readmodel.Page{Number: int64(from/size + 1), Size: size}
		rows, err := l.page(ctx, "the page", p, from, from+size)
		if err != nil {
			return err
		}
		if isCursor := hasCursors && len(l.want) > 0; (rows.Next != "") != isCursor || (rows.Prev != "") != isCursor {
			return fmt.Errorf("%s: the cursors are %q and %q", l.of("the page", p), rows.Prev, rows.Next)
		}
		if from == 0 && hasCursors {
			err = l.follow(ctx, "by next", size, rows.Next, next, l.want[min(size, len(l.want)):])
		}
		if from == middle && hasCursors && err == nil {
			err = l.follow(ctx, "by prev", size, rows.Prev, prev, l.want[:middle])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkExport compares the whole list, which has no page.
func (l expected[F]) checkExport(ctx context.Context, size int) error {
	q := l.filter
	q.Page = readmodel.Page{Number: 2, Size: size}
	export, err := l.reader.Export(ctx, q)
	if err != nil {
		return fmt.Errorf("%s: %w", l.of("the export", q.Page), err)
	}
	defer export.Close(ctx)
	all := []string{}
	for {
		rows, err := export.Next(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", l.of("the export", q.Page), err)
		}
		if rows == nil {
			break
		}
		all = append(all, l.texts(rows)...)
	}
	if diff := cmp.Diff(l.want, all, cmpopts.EquateEmpty()); diff != "" {
		return fmt.Errorf("%s: -records +export\n%s", l.of("the export", q.Page), diff)
	}
	return nil
}

func next(rows *readmodel.Rows, texts, visited []string) (cursor string, all []string) {
	return rows.Next, append(visited, texts...)
}

func prev(rows *readmodel.Rows, texts, visited []string) (cursor string, all []string) {
	return rows.Prev, append(texts, visited...)
}

// follow goes from page to page in one direction, at most as many as there can
// be.
func (l expected[F]) follow(ctx context.Context, way string, size int, cursor string,
	to func(rows *readmodel.Rows, texts, visited []string) (string, []string), want []string,
) error {
	visited := []string{}
	q := l.filter
	for range len(l.want)/size + 2 {
		if cursor == "" {
			break
		}
		q.Page = readmodel.Page{Number: 2, Size: size, Cursor: cursor}
		rows, err := l.reader.List(ctx, q)
		if err != nil {
			return fmt.Errorf("%s: %w", l.of(way, q.Page), err)
		}
		if total := int64(len(l.want)); rows.Total != total {
			return fmt.Errorf("%s: the total is %d, and there are %d", l.of(way, q.Page), rows.Total, total)
		}
		cursor, visited = to(rows, l.texts(rows), visited)
	}
	if diff := cmp.Diff(want, visited, cmpopts.EquateEmpty()); diff != "" {
		return fmt.Errorf("%s: -records +visited\n%s", l.of(way, q.Page), diff)
	}
	if cursor != "" {
		return fmt.Errorf("%s: the walk does not end", l.of(way, q.Page))
	}
	return nil
}
