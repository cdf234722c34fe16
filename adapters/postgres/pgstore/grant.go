package pgstore

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Grants implements repository.Grants.
type Grants struct {
	db *postgres.DB
}

var _ repository.Grants = (*Grants)(nil)

// NewGrants returns Grants of the database.
func NewGrants(db *postgres.DB) *Grants { return &Grants{db: db} }

// Find implements repository.Grants.
func (g *Grants) Find(ctx context.Context, publicID string) (repository.Grant, error) {
	grant, err := postgres.Repeat(ctx, g.db, func() (repository.Grant, error) { return g.find(ctx, publicID) })
	if errors.Is(err, pgx.ErrNoRows) {
		return repository.Grant{}, noSuch("token")
	}
	return grant, postgres.Fault(err, postgres.Storing)
}

func (g *Grants) find(ctx context.Context, publicID string) (repository.Grant, error) {
	var grant repository.Grant
	targets := append(tokens.targets(&grant.Token), parsed(&grant.Role, user.ParseRole), &grant.Disabled)
	err := g.db.QueryRow(ctx, selectGrant, publicID).Scan(targets...)
	return grant, err
}

var selectGrant = `
select t.*, u.role, u.disabled
from (
` + tokens.selects + `where public_id = $1
) t
join users u on u.id = t.user_id`

// PublicIDs implements repository.Grants.
func (g *Grants) PublicIDs(ctx context.Context, at time.Time, atMost int) ([]string, error) {
	rows, err := g.db.Query(ctx, `
select public_id
from tokens
where revoked_at is null and (expires_at is null or expires_at > $1)
order by last_used_at desc nulls first, id desc
limit $2`, at, atMost)
	if err != nil {
		return nil, postgres.Fault(err, postgres.Storing)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return ids, postgres.Fault(err, postgres.Storing)
}

// Touch implements repository.Grants. It waits neither for the disk, nor for synchronous replicas, nor for another
// writer of the token, because reads wait for it, and a use that is lost is recorded again.
func (g *Grants) Touch(ctx context.Context, id token.ID, at time.Time) error {
	return postgres.InTransaction(ctx, g.db, func(ctx context.Context, tx pgx.Tx) error {
		var b pgx.Batch
		b.Queue("set local synchronous_commit = off")
		b.Queue(`
update tokens
set last_used_at = $2
where id = (
    select id
    from tokens
    where id = $1
    for no key update skip locked
)`, id, at)
		return tx.SendBatch(ctx, &b).Close()
	})
}
