package doctor

import (
	"context"
	"errors"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgreplica"
)

func (e *Examination) replicas(ctx context.Context) (all []Finding) {
	for _, url := range e.settings.Replicas {
		f := e.replica(ctx, url)
		f.Name = "replica"
		all = append(all, f)
	}
	return all
}

func (e *Examination) replica(ctx context.Context, url string) Finding {
	r, err := pgreplica.Examine(ctx, e.settings.DatabaseURL, url)
	if other, ok := errors.AsType[pgreplica.OtherCluster](err); ok {
		return fine("%s", other.Found()).hint(Fail, "%s", other.Remedy())
	}
	if err != nil {
		return fine("one cannot be reached, and is not used: %v", err).hint(Warn, "start it, or correct KONTOR_READ_DATABASE_URLS")
	}
	switch {
	case !r.IsReplica:
		return fine("%s is a primary, and not used as a replica", r.Name)
	case r.Version < postgres.Version:
		return fine("%s lacks migration %d, and is not used until it has replayed it", r.Name, postgres.Version).
			hint(Warn, "run kontor migrate up on the primary, and see whether the replica follows it (pg_stat_wal_receiver)")
	case !r.ShowsTimeline:
		return fine("this role may not see which timeline %s receives: after a failover, it takes minutes until the replica is used", r.Name).
			hint(Warn, "on the primary: grant pg_read_all_stats to the role of KONTOR_READ_DATABASE_URLS")
	}
	return fine("%s follows the primary", r.Name)
}
