package command

import (
	"context"

	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Response says which part of the created or changed record the caller is shown.
//
// Chose: the use case reads the record through the view of its own transaction,
// as its last step before the commit, and the caller only encodes the rows.
// Because: the response then shows exactly what this transaction commits, a
// response that cannot be made undoes the change, and the bytes of a creation with
// an idempotency key are stored with it. No layer calls back into a lower one.
// Costs: the transaction and its locks last for one more statement and for the
// encoding of one record.
type Response struct {
	Resource  *readmodel.Resource
	Selection *readmodel.Selection
	// Encode makes the bytes that are stored under an idempotency key. An error
	// undoes the change. It may be called several times, of which the last counts.
	Encode func(id int64, record *readmodel.Rows) ([]byte, error)
}

// respond reads and encodes the record, and stores the response under the
// idempotency key of a creation.
func (r Request) respond(ctx context.Context, s repository.Stores, id int64) error {
	if r.Response == nil {
		return nil
	}
	record, err := s.View.Read(ctx, r.Response.Resource, id, r.Response.Selection)
	if err != nil {
		return err
	}
	encoded, err := r.Response.Encode(id, record)
	if err != nil || r.Idempotency == nil {
		return err
	}
	return s.IdempotencyKeys.Store(ctx, r.Idempotency.Key, encoded)
}
