package pgsummary

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// Difference is where a model does not agree with the records.
type Difference struct {
	Model string // its table
	Key   string // which row of it
	Says  string
	Is    string // what the records say
}

// listed is how many differences of a model are listed at most.
const listed = 100

// Verify holds every model against the records, all of them in one snapshot, and
// lists where they differ: of each model the first hundred, and then how many
// more there are. Models that are not ready are held against the records all the
// same. Writers go on meanwhile.
func Verify(ctx context.Context, pool *pgxpool.Pool) ([]Difference, error) {
	var all []Difference
	err := postgres.InTransaction(ctx, pool, func(ctx context.Context, tx pgx.Tx) error {
		all = nil
		if _, err := tx.Exec(ctx, "set transaction isolation level repeatable read read only"); err != nil {
			return err
		}
		if err := setLocal(ctx, tx, patient, roomy, zoned); err != nil {
			return err
		}
		var firstOpen int64
		if err := tx.QueryRow(ctx, "select oldest_open_batch from read_model_state").Scan(&firstOpen); err != nil {
			return err
		}
		for _, c := range checks {
			found, err := c.run(ctx, tx, firstOpen)
			if err != nil {
				return fmt.Errorf("%s: %w", c.model, err)
			}
			all = append(all, found...)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("hold the models against the records: %w", err)
	}
	return all, nil
}

// check is how the differences of a model are found.
type check struct {
	model string
	sql   string // for key, says and is
	batch bool   // $1 is the first open batch
}

var checks = func() (all []check) {
	for _, f := range allFigures {
		all = append(all, check{model: f.table, sql: f.differences(), batch: true})
	}
	for _, l := range cutLists {
		all = append(all, check{model: "page_index", sql: l.milestoneDifferences(), batch: true})
	}
	for _, l := range lists {
		all = append(all, check{model: l.search, sql: l.textDifferences()})
	}
	return append(all, check{model: "invoices", sql: `
select
    'paid_month of id ' || id as key, coalesce(paid_month::text, 'nothing') as says,
    coalesce(` + paidMonth + `::text, 'nothing') as "is"
from invoices
where paid_month is distinct from ` + paidMonth})
}()

// textDifferences are the texts that are not those of the records.
func (l list) textDifferences() string {
	return `
select 'id ' || id as key, coalesce(s.text_key, 'nothing') as says, coalesce(r.` + l.key + `, 'nothing') as "is"
from ` + l.name + ` r
full join ` + l.search + ` s using (id)
where s.text_key is distinct from r.` + l.key
}

func (c check) run(ctx context.Context, tx pgx.Tx, firstOpen int64) ([]Difference, error) {
	args := []any{listed}
	sql := c.sql
	if c.batch {
		args = []any{firstOpen, listed}
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`
select key, says, "is", count(*) over () as found
from (%s
) d
order by key
limit $%d`, sql, len(args)), args...)
	if err != nil {
		return nil, err
	}
	var list []Difference
	var found int64
	d := Difference{Model: c.model}
	_, err = pgx.ForEachRow(rows, []any{&d.Key, &d.Says, &d.Is, &found}, func() error {
		list = append(list, d)
		return nil
	})
	if found > int64(len(list)) {
		list = append(list, Difference{Model: c.model, Key: fmt.Sprintf("and %d more", found-int64(len(list)))})
	}
	return list, err
}
