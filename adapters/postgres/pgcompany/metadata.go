package pgcompany

import (
	"context"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
)

// metadataWait is how long changes of tables wait until Citus has synchronized its metadata with all
// workers. Citus does that right after citus_update_node, and if that fails, again after five seconds.
const metadataWait = 10 * time.Second

// metadataPause is the time between two checks.
const metadataPause = 100 * time.Millisecond

// awaitMetadata waits until all active workers have the metadata of Citus, which rejects changes of
// tables until then. If some still lack them after s.metadataWait, it returns a fault.Unavailable
// that names them.
func (s *Store) awaitMetadata(ctx context.Context) error {
	version, err := s.citus(ctx)
	if err != nil || version == 0 {
		return err
	}
	for began := time.Now(); ; {
		lacking, err := s.primaries(ctx, "isactive and hasmetadata and not metadatasynced")
		if err != nil || len(lacking) == 0 {
			return err
		}
		if time.Since(began) > s.metadataWait {
			return fault.New(fault.Unavailable, "no tables can be changed, because Citus has not synchronized its metadata with %s: "+
				"check that they can be reached, and try again in a minute, or after select start_metadata_sync_to_all_nodes() on the coordinator",
				strings.Join(lacking, ", "))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(metadataPause):
		}
	}
}
