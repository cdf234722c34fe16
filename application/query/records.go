package query

import (
	"context"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// RecordReader reads single records of one resource. Every readmodel.Reader implements
// it.
type RecordReader interface {
	// Read returns the record with the id, or a fault.NotFound.
	Read(ctx context.Context, id int64, s *readmodel.Selection) (*readmodel.Rows, error)
}

// idOnly is the smallest selection, for a check of existence.
var idOnly = &readmodel.Selection{Paths: []string{"id"}, Type: -1}

func checkExists(ctx context.Context, records RecordReader, id int64) error {
	_, err := records.Read(ctx, id, idOnly)
	return err
}
