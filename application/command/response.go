package command

import (
	"context"

	"github.com/kontor-crm/kontor/ports/readmodel"
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
	// undoes the change. The Report of the request is complete. It may be called several times, of which the last counts.
	Encode func(id int64, record *readmodel.Rows) ([]byte, error)
}

// expectResponse says that the record that is created will be read.
func (w work) expectResponse() {
	if w.Response != nil {
		w.View.Expect(w.Response.Resource, w.Response.Selection)
	}
}

// respond reads and encodes the record, and stores the response under the
// idempotency key of a creation.
func (w work) respond(ctx context.Context, id int64) error {
	if w.Response == nil {
		return nil
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
