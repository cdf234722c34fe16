package pgstore

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// newID is the argument of an insert for the id of a row. It is the name of the table.
type newID string

// newIDs is the argument of an insert for the ids of several rows, an array.
type newIDs struct {
	table string
	rows  int
}

// number replaces these arguments by numbers: those of a dry run are placeholders. Where the
// database numbers rows itself, the statement ignores them, because of overriding.
func (u *unit) number(ctx context.Context, batch *pgx.Batch) error {
	var tables []string
	for _, q := range batch.QueuedQueries {
		for _, arg := range q.Arguments {
			switch id := arg.(type) {
			case newID:
				tables = append(tables, string(id))
			case newIDs:
				tables = append(tables, slices.Repeat([]string{id.table}, id.rows)...)
			}
		}
	}
	if len(tables) == 0 {
		return nil
	}
	numbers := u.draw(tables)
	for _, q := range batch.QueuedQueries {
		for i, arg := range q.Arguments {
			switch id := arg.(type) {
			case newID:
				q.Arguments[i], numbers = numbers[0], numbers[1:]
			case newIDs:
				q.Arguments[i], numbers = numbers[:id.rows], numbers[id.rows:]
			}
		}
	}
	return nil
}

func (u *unit) draw(tables []string) []int64 {
	if !u.meta.DryRun {
		return make([]int64, len(tables))
	}
	first := readmodel.FirstPlaceholder + rand.Int64N(readmodel.Placeholders) //nolint:gosec // not a secret, only rarely the same
	numbers := make([]int64, len(tables))
	for i := range numbers {
		numbers[i] = first + int64(i)
	}
	return numbers
}
