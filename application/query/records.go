package query

import (
	"context"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Records are records that others belong to; any readmodel.Reader will do.
type Records interface {
	// Read fetches the record with the id, or is a fault.NotFound.
	Read(ctx context.Context, id int64, s *readmodel.Selection) (*readmodel.Rows, error)
}

// justID is all that must be read of a record to know that it exists.
var justID = &readmodel.Selection{Paths: []string{"id"}, Type: -1}

// exists is a fault.NotFound if there is no record with the id.
func exists(ctx context.Context, records Records, id int64) error {
	_, err := records.Read(ctx, id, justID)
	return err
}
