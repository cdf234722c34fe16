package pgread_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/gate"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// few is how many rows a step may read in a list of class A: a tenth of the rows of
// the tables.
const few = 4_000

// short are the tables that may be read from end to end: they stay short however
// many clients there are.
var short = []string{
	"read_model_state", "change_batches", "client_changes", "deal_changes", "offer_changes", "contract_changes", "invoice_changes",
	"users", "statuses", "deal_types", "invoice_types", "performers", "client_totals", "deal_totals",
}

// recorder records the plans of the statements of the marked page, and whether one of
// them passed the gate as a slow one.
type recorder struct {
	pool  *postgres.DB
	gate  *gate.Gate
	plans []step
	slow  bool
}

func (r *recorder) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if ctx.Value(marked{}) != nil {
		r.slow = r.slow || r.gate.State().Running > 0
	}
	if ctx.Value(marked{}) != nil && ctx.Value(unexplained{}) == nil {
		plan, err := explain(ctx, r.pool, sql, args[1:])
		if err != nil {
			return nil, err
		}
		r.plans = append(r.plans, plan)
	}
	return r.pool.Query(ctx, sql, args...)
}

func (r *recorder) Begin(ctx context.Context) (pgx.Tx, error) { return r.pool.Begin(ctx) }

// unexplained marks the context of a page whose plans are not recorded.
type unexplained struct{}

// read reads a page as the request says, with a new gate.
func (r *recorder) read(ctx context.Context, t *testing.T, request string) (size int, err error) {
	t.Helper()
	r.gate = gate.New("operations", gate.Limits{Running: 1, PerCaller: 1, Wait: time.Second}, nil)
	list, query := parseRequest(t, request)
	return listsOf(pgread.Gated(r, r.gate, r.gate))[list].read(ctx, query)
}

// step is a step of a plan that was run.
type step struct {
	Type    string  `json:"Node Type"`
	Table   string  `json:"Relation Name"`
	Rows    float64 `json:"Actual Rows"`
	Loops   float64 `json:"Actual Loops"`
	Removed float64 `json:"Rows Removed by Filter"`
	Recheck float64 `json:"Rows Removed by Index Recheck"`
	Steps   []step  `json:"Plans"`
}

// explain runs the statement with the plan that a service has for it.
func explain(ctx context.Context, pool *postgres.DB, sql string, args []any) (s step, err error) {
	conn, err := pool.Begin(ctx)
	if err != nil {
		return s, err
	}
	defer func() { _ = conn.Rollback(ctx) }()
	values := make([]string, len(args))
	for i, arg := range args {
		text := fmt.Sprint(arg)
		if _, ok := arg.([]int64); ok {
			text = strings.NewReplacer("[", "{", "]", "}", " ", ",").Replace(text)
		}
		values[i] = "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	execute := "execute asked"
	if len(values) > 0 {
		execute += " (" + strings.Join(values, ", ") + ")"
	}
	if _, err := conn.Exec(ctx, "prepare asked as "+sql, pgx.QueryExecModeSimpleProtocol); err != nil {
		return s, err
	}
	var plan []byte
	err = conn.QueryRow(ctx, "explain (analyze, costs off, timing off, format json) "+execute, pgx.QueryExecModeSimpleProtocol).Scan(&plan)
	if err != nil {
		return s, err
	}
	if _, err := conn.Exec(ctx, "deallocate asked", pgx.QueryExecModeSimpleProtocol); err != nil {
		return s, err
	}
	var whole []struct{ Plan step }
	if err := json.Unmarshal(plan, &whole); err != nil {
		return s, err
	}
	return whole[0].Plan, nil
}

// looked is how many rows the step looked at.
func (s step) looked() float64 { return (s.Rows + s.Removed + s.Recheck) * max(s.Loops, 1) }

// isShort reports whether only short tables are below the step.
func (s step) isShort() bool {
	long := false
	s.all(func(below step) { long = long || below.Table != "" && !slices.Contains(short, below.Table) })
	return !long
}

// all calls visit for the step and all executed steps below it.
func (s step) all(visit func(step)) {
	if s.Loops == 0 {
		return
	}
	visit(s)
	for _, below := range s.Steps {
		below.all(visit)
	}
}

// contract 4.15, 4.43
func TestListPlansStayWithinTheirClass(t *testing.T) {
	t.Parallel()
	pgtest.SkipOnCitus(t, "a plan of the coordinator does not show that of the worker")
	pool := filled(t)
	for _, row := range Classes {
		if row.Class != Open {
			checkRow(t, pool, row)
			continue
		}
		checkSlow(t, pool, row)
	}
}

// checkSlow checks that the statements of the row pass the gate.
func checkSlow(t *testing.T, pool *postgres.DB, row Row) {
	t.Helper()
	if len(row.Requests) == 0 {
		t.Errorf("%s by %s, sorted by %s: no request stands for the row", row.Lists, row.Filters, row.Sort)
	}
	for _, text := range row.Requests {
		r := &recorder{pool: pool}
		if _, err := r.read(context.WithValue(t.Context(), unexplained{}, true), t, text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if !r.slow {
			t.Errorf("%s: of class %s, but does not count as slow", text, row.Class)
		}
	}
}

func checkRow(t *testing.T, pool *postgres.DB, row Row) {
	t.Helper()
	sorted := false
	for _, text := range row.Requests {
		r := &recorder{pool: pool}
		size, err := r.read(t.Context(), t, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if row.Class == Flat && r.slow && !strings.Contains(text, "page=last") {
			t.Errorf("%s: of class %s, but counts as slow", text, row.Class)
		}
		if len(r.plans) == 0 {
			t.Errorf("%s: no statement was looked at", text)
		}
		for _, plan := range r.plans {
			plan.all(func(s step) {
				if s.Type == "Seq Scan" && !slices.Contains(short, s.Table) {
					t.Errorf("%s: the database reads all of %s", text, s.Table)
				}
				if n := s.looked(); row.Class == Flat && n > few {
					t.Errorf("%s: a step (%s %s) looks at %.0f rows", text, s.Type, s.Table, n)
				}
				// A page, and the row that shows that another follows.
				if strings.HasSuffix(s.Type, "Sort") && s.Steps[0].Rows*max(s.Steps[0].Loops, 1) > float64(size+1) && !s.isShort() {
					sorted = true
					if row.Sorts == "" {
						t.Errorf("%s: the database sorts %.0f rows", text, s.Steps[0].Rows)
					}
				}
			})
		}
	}
	if row.Sorts != "" && len(row.Requests) > 0 && !sorted {
		t.Errorf("%s by %s: nothing is sorted though it may be, as %s", row.Lists, row.Filters, row.Sorts)
	}
}
