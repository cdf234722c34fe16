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

// contract 3.73
func TestWritesLeaveConnectionsToReads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		all, share            int
		code                  tenant.Code
		wantAll, wantOfCaller int
	}{
		{32, 25, "", 14, 3}, {32, 100, "", 14, 14}, {16, 25, "", 6, 1}, {32, 25, "0000000a", 1, 1}, {1, 25, "", 1, 1},
	} {
		config := Defaults("")
		config.MaxConnections, config.CallerShare = c.all, c.share
		got := config.in(tenant.Tenant{Code: c.code}).writeGate()
		if got.Running != c.wantAll || got.PerCaller != c.wantOfCaller {
			t.Errorf("company %q of %d connections, share %d: %d writes, of one caller %d; want %d and %d",
				c.code, c.all, c.share, got.Running, got.PerCaller, c.wantAll, c.wantOfCaller)
		}
	}
}
