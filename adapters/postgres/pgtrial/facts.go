package pgtrial

import (
	"context"

	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Answer implements repository.Snapshot, with the statements that writes use.
func (s *snapshot) Answer(ctx context.Context, questions []repository.Question) ([]repository.Answer, error) {
	return pgstore.Answer(ctx, s.tx, questions)
}
