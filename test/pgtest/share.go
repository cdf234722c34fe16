package pgtest

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// The environment by which Share hands its server to test processes, the first as envCitusURL
// if it is a cluster of Citus. The user may set the first by hand.
const (
	envURL       = "KONTOR_TEST_DATABASE_URL"
	envTemplates = "KONTOR_TEST_TEMPLATES" // the names of the template databases, comma-separated
	envServer    = "KONTOR_TEST_SERVER"    // what kind of server it is, for people
)

// Shared is a server with a migrated template database for all test processes
// of a run.
type Shared struct{ cluster *cluster }

// Share chooses a server and migrates a template on it. Close it in the end.
func Share(ctx context.Context) (Shared, error) {
	// Templates that an outer run has left in the environment are not ours.
	if err := os.Unsetenv(envTemplates); err != nil {
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
		envTemplates + "=" + strings.Join(s.cluster.templates, ","),
		envServer + "=" + s.cluster.server.name,
	}
}

// Close drops the templates and stops the server if Share started it.
func (s Shared) Close() error { return s.cluster.close() }
