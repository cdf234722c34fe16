package failover

import (
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/testserver"
)

// Fields are the attributes of a record.
type Fields = map[string]any

// Instance runs the service on the database until the test ends.
func Instance(t testing.TB, databaseURL string, options ...func(*bootstrap.Config)) testserver.Service {
	t.Helper()
	return testserver.On(t, databaseURL, append([]func(*bootstrap.Config){func(c *bootstrap.Config) {
		c.AdminListen = "127.0.0.1:0"
	}}, options...)...)
}
