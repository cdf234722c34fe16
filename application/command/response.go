package command

import (
	"context"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Response selects the attributes of the created or changed record for the response.
//
// Chose: the use case reads the record in its own transaction, as the last step before the
// commit, and the caller only encodes the rows. Because: the response then shows exactly what is
// committed, an error in making it rolls the change back, and the response to a creation with an
// idempotency key is stored with the record. No layer calls back into a lower one. Costs: the
// transaction and its locks last for one more statement and the encoding of one record.
type Response struct {
	Resource  *readmodel.Resource
	Selection *readmodel.Selection
	// IsNew is set before Encode is called, if the record was created.
	IsNew bool
	// Encode encodes the record, as stored under an idempotency key. An error rolls the change
	// back. The Report of the request is complete by then. Encode may be called several times;
	// the last call counts.
	Encode func(id int64, record *readmodel.Rows) ([]byte, error)
}

// respond makes the reactions, reads and encodes the record, and stores the response under the
// idempotency key of a creation.
func (w work) respond(ctx context.Context, id int64) error {
	if err := w.react(ctx); err != nil || w.Response == nil {
		return err
	}
	record, err := w.View.Read(ctx, w.Response.Resource, id, w.Response.Selection)
	if err != nil {
		return err
	}
	w.reportTo(w.Report)
	encoded, err := w.Response.Encode(id, record)
	if err != nil || w.Idempotency == nil {
		return err
	}
	return w.IdempotencyKeys.Store(ctx, w.Idempotency.Key, encoded)
}
