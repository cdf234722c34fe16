package memstore

import (
	"context"
	"fmt"
	"time"

	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
)

// claimed is a key with its response, once there is one.
type claimed struct {
	repository.StoredResponse
	at time.Time
}

type idempotencyKeys struct {
	unit *unit
}

func (r idempotencyKeys) Claim(
	_ context.Context, key repository.IdempotencyKey, fingerprint [32]byte, at time.Time,
) (*repository.StoredResponse, error) {
	if c, ok := r.unit.idempotencyKeys[key]; ok && c.at.After(at.Add(-repository.ResponseLife)) {
		return &c.StoredResponse, nil
	}
	r.unit.idempotencyKeys[key] = claimed{repository.StoredResponse{Fingerprint: fingerprint}, at}
	return nil, nil
}

func (r idempotencyKeys) Store(_ context.Context, key repository.IdempotencyKey, response []byte) error {
	c, ok := r.unit.idempotencyKeys[key]
	if !ok {
		return fmt.Errorf("the key %q is not claimed", key.Key)
	}
	c.Bytes = response
	r.unit.idempotencyKeys[key] = c
	return nil
}

// view has a row of nulls for every record: there are no read models in memory.
type view struct{}

func (view) Expect(*readmodel.Resource, *readmodel.Selection) {}
func (view) End()                                             {}

func (view) Read(_ context.Context, _ *readmodel.Resource, _ int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	rows := readmodel.NewRows(len(s.Paths))
	for range s.Paths {
		rows.Append(nil)
	}
	return rows, nil
}
