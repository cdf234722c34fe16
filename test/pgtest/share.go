package pgtest

import (
	"context"
	"fmt"
	"os"
)

// The environment by which Share hands its server to test processes, the first as envCitusURL
// if it is a cluster of Citus. The user may set the first by hand.
const (
	envURL      = "KONTOR_TEST_DATABASE_URL"
	envTemplate = "KONTOR_TEST_TEMPLATE" // the name of the template database
	envServer   = "KONTOR_TEST_SERVER"   // what kind of server it is, for people
)

// Shared is a server with a migrated template database for all test processes
// of a run.
type Shared struct{ cluster *cluster }

// Share chooses a server and migrates a template on it. Close it in the end.
func Share(ctx context.Context) (Shared, error) {
	// A template that an outer run has left in the environment is not ours.
	if err := os.Unsetenv(envTemplate); err != nil {
		return Shared{}, err
	}
	c, err := openCluster(ctx)
	if err != nil {
		return Shared{}, fmt.Errorf("pgtest: %w", err)
	}
	return Shared{c}, nil
}

// Environment returns the variables that have test processes use the server.
func (s Shared) Environment() []string {
	address := envURL
	if s.cluster.distribution != nil {
		address = envCitusURL
	}
	return []string{
		address + "=" + s.cluster.server.url,
		envTemplate + "=" + s.cluster.template,
		envServer + "=" + s.cluster.server.name,
	}
}

// Close drops the template and stops the server if Share started it.
func (s Shared) Close() error { return s.cluster.close() }
