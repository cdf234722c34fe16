package bootstrap

import (
	"testing"

	"github.com/kontor-crm/kontor/ports/tenant"
)

// contract 14.41
func TestConnectionsOfOneCompany(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		all  int
		code tenant.Code
		want int32
	}{
		{32, "", 16}, {32, "0000000a", 3}, {300, "0000000a", 3}, {4, "0000000a", 2}, {1, "", 1}, {1, "0000000a", 1},
	} {
		config := Defaults("")
		config.MaxConnections = c.all
		if got := config.in(tenant.Tenant{Code: c.code}).tenantPool(nil, nil).MaxConns; got != c.want {
			t.Errorf("company %q of %d connections: %d instead of %d", c.code, c.all, got, c.want)
		}
	}
}
