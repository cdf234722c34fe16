package bootstrap

import (
	"testing"

	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports"
)

// contract 14.41
func TestConnectionsOfOneCompany(t *testing.T) {
	t.Parallel()
	for all, want := range map[int]int{32: 16, 300: 150, 5: 3, 4: 2, 1: 1} {
		config := Defaults("")
		config.MaxConnections = all
		if got := config.companyConnections(); got != want {
			t.Errorf("of %d connections: %d instead of %d", all, got, want)
		}
	}
}

// contract 3.73
func TestWritesLeaveConnectionsToReads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ connections, share, wantAll, wantOfCaller int }{
		{16, 25, 14, 12}, {16, 100, 14, 14}, {32, 25, 30, 28}, {8, 25, 6, 4}, {5, 25, 3, 1}, {5, 70, 3, 2}, {2, 25, 1, 1}, {1, 25, 1, 1},
	} {
		config := Defaults("")
		config.CallerShare = c.share
		got := config.writeGate(c.connections)
		if got.Running != c.wantAll || got.PerCaller != c.wantOfCaller {
			t.Errorf("%d connections, share %d: %d writes, of one caller %d; want %d and %d",
				c.connections, c.share, got.Running, got.PerCaller, c.wantAll, c.wantOfCaller)
		}
	}
}

// Commands of operators have no such setting.
//
// contract 4.196
func TestChangesOfNoDaysAreNotRecorded(t *testing.T) {
	all := len(projections(Defaults("")))
	if serve, operator := len(projections(Config{serving: true})), len(projections(Config{})); serve != all-1 || operator != all {
		t.Errorf("of %d projections kontor serve has %d with 0 days, a command %d", all, serve, operator)
	}
}

// contract 3.36
func TestHeavyWorkIsHalfOfTheRequests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ inFlight, share, wantAll, wantOfCaller int }{
		{256, 25, 128, 32}, {256, 100, 128, 128}, {3, 25, 2, 1}, {1, 25, 1, 1},
	} {
		config := Defaults("")
		config.MaxRequests, config.CallerShare = c.inFlight, c.share
		admitted := func(caller func(i int) token.ID) (n int) {
			heavy := config.api(nil, nil, &Tenants{heavy: config.heavy()}).Heavy
			for heavy.Enter(ports.Caller{Token: caller(n)}) == nil {
				n++
			}
			return n
		}
		all, ofCaller := admitted(func(i int) token.ID { return token.ID(i) }), admitted(func(int) token.ID { return 1 })
		if all != c.wantAll || ofCaller != c.wantOfCaller {
			t.Errorf("%d requests in flight, share %d: %d are heavy, of a caller %d", c.inFlight, c.share, all, ofCaller)
		}
	}
}
