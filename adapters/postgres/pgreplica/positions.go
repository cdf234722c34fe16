package pgreplica

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/ports/position"
)

const positionTimeout = 2 * time.Second

// needs are the positions that the reads of a token have to cover.
type needs struct {
	own, all position.Position
	// otherReplicas: an instance with other replicas started last.
	otherReplicas bool
}

// positions are the positions that the tokens of a company need, on the primary.
type positions struct {
	db       *pgxpool.Pool // of the default company
	of       company.Code
	replicas string // of this service

	lookups *batcher[int64, needs]
	records *batcher[int64, struct{}]
}

func newPositions(db *pgxpool.Pool, of company.Code, replicas string) *positions {
	p := &positions{db: db, of: of, replicas: replicas}
	p.lookups = &batcher[int64, needs]{timeout: positionTimeout, call: p.lookUp}
	p.records = &batcher[int64, struct{}]{timeout: positionTimeout, call: p.record}
	return p
}

// ofAll is the token id of the position that the tokens of all companies need. The default company
// stores it.
const ofAll = 0

type stored struct {
	token    int64
	at       position.Position
	system   int64 // of the server
	replicas string
}

// lookUp is what the tokens need. An empty table is that of a server that has crashed or was
// promoted, and rows of another cluster are those of a restored dump: they are replaced by the
// present position for all tokens.
func (p *positions) lookUp(ctx context.Context, tokens []int64) (map[int64]needs, error) {
	rows, err := postgres.Repeat(ctx, p.db, func() ([]stored, error) { return p.rows(ctx, tokens) })
	if err != nil {
		return nil, postgres.Fault(err, postgres.Storing)
	}
	var all *stored
	found := make(map[int64]needs, len(tokens))
	for i, r := range rows {
		switch {
		case r.at.System != r.system:
		case r.token == ofAll:
			all = &rows[i]
		default:
			found[r.token] = needs{own: r.at}
		}
	}
	if all == nil {
		if all, err = p.announce(ctx); err != nil {
			return nil, postgres.Fault(err, postgres.Storing)
		}
	}
	for _, token := range tokens {
		n := found[token]
		n.all, n.otherReplicas = all.at, all.replicas != p.replicas
		found[token] = n
	}
	return found, nil
}

const selectPositions = `
    select token_id, system_identifier, timeline, wal, replicas
    from token_positions
    where token_id = `

func (p *positions) rows(ctx context.Context, tokens []int64) ([]stored, error) {
	rows, err := p.db.Query(ctx, `
select t.*, s.system_identifier
from (`+
		postgres.Qualify(selectPositions+"any($1)", p.of)+`
    union all`+
		selectPositions+`$2
) t
cross join pg_control_system() s`, tokens, ofAll)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s stored, err error) {
		err = row.Scan(&s.token, &s.at.System, &s.at.Timeline, &s.at.WAL, &s.replicas, &s.system)
		return s, err
	})
}

// announce stores the present position for all tokens, and the replicas of this service.
func (p *positions) announce(ctx context.Context) (*stored, error) {
	s := stored{replicas: p.replicas}
	var b pgx.Batch
	b.Queue(postgres.RecordPositions, []int64{ofAll}).QueryRow(func(row pgx.Row) error {
		return row.Scan(&s.at.System, &s.at.Timeline, &s.at.WAL)
	})
	b.Queue("update token_positions set replicas = $2 where token_id = $1", ofAll, p.replicas)
	if err := p.db.SendBatch(ctx, &b).Close(); err != nil {
		return nil, fmt.Errorf("store the position of all tokens: %w", err)
	}
	return &s, nil
}

func (p *positions) record(ctx context.Context, tokens []int64) (map[int64]struct{}, error) {
	sql := postgres.Qualify(postgres.RecordPositions, p.of)
	_, err := postgres.Repeat(ctx, p.db, func() (pgconn.CommandTag, error) { return p.db.Exec(ctx, sql, tokens) })
	return nil, postgres.Fault(err, postgres.Storing)
}
