package pgstore

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// newID is the argument of an insert for the id of a row. It is the name of the table.
type newID string

// newIDs is the argument of an insert for the ids of several rows, an array.
type newIDs struct {
	table string
	rows  int
}

// followers are the tables that get a row after each new row of another one. Both numbers are drawn at
// once, to spare a round trip to the coordinator of Citus.
var followers = map[newID]newID{"deals": "deal_history", "invoices": "deal_history"}

// spareNumber is a number that was drawn for a row that follows.
type spareNumber struct {
	table  newID
	number int64
}

func (u *unit) takeSpare(table newID) (number int64, ok bool) {
	i := slices.IndexFunc(u.spares, func(s spareNumber) bool { return s.table == table })
	if i < 0 {
		return 0, false
	}
	number = u.spares[i].number
	u.spares = slices.Delete(u.spares, i, i+1)
	return number, true
}

// number replaces these arguments by numbers: those of a dry run are placeholders. Where the
// database numbers rows itself, the statement ignores them, because of overriding.
func (u *unit) number(ctx context.Context, statements []statement) error {
	var tables []string
	for _, s := range statements {
		for i, arg := range s.args {
			switch of := arg.(type) {
			case newID:
				if spare, ok := u.takeSpare(of); ok {
					s.args[i] = spare
					continue
				}
				tables = append(tables, string(of))
				if follower, ok := followers[of]; ok {
					tables = append(tables, string(follower))
				}
			case newIDs:
				tables = append(tables, slices.Repeat([]string{of.table}, of.rows)...)
			}
		}
	}
	if len(tables) == 0 {
		return nil
	}
	numbers, err := u.draw(ctx, tables)
	if err != nil {
		return postgres.Fault(err, postgres.Storing)
	}
	for _, s := range statements {
		for i, arg := range s.args {
			switch of := arg.(type) {
			case newID:
				s.args[i], numbers = numbers[0], numbers[1:]
				if follower, ok := followers[of]; ok {
					u.spares, numbers = append(u.spares, spareNumber{follower, numbers[0]}), numbers[1:]
				}
			case newIDs:
				s.args[i], numbers = numbers[:of.rows], numbers[of.rows:]
			}
		}
	}
	return nil
}

func (u *unit) draw(ctx context.Context, tables []string) ([]int64, error) {
	if !u.meta.DryRun {
		return u.tx.Numbers(ctx, tables...)
	}
	first := readmodel.FirstPlaceholder + rand.Int64N(readmodel.Placeholders) //nolint:gosec // not a secret, only rarely the same
	numbers := make([]int64, len(tables))
	for i := range numbers {
		numbers[i] = first + int64(i)
	}
	return numbers, nil
}
