package caller_test

import (
	"math"
	"net/netip"
	"testing"

	"github.com/kontor-crm/kontor/ports/caller"
)

// contract 1.89
func TestShareIsAPartOfALimit(t *testing.T) {
	for _, c := range []struct {
		share       caller.Share
		limit, want int64
	}{
		{25, 256, 64},
		{25, 10, 2},
		{25, 3, 1},
		{1, 16, 1},
		{100, 7, 7},
		{0, 7, 7},
		{50, math.MaxInt64, math.MaxInt64 / 2},
	} {
		if got := c.share.Of(c.limit); got != c.want {
			t.Errorf("%d%% of %d is %d, want %d", c.share, c.limit, got, c.want)
		}
	}
}

func TestGroupIsTheCompanyOfATokenThatIsKnown(t *testing.T) {
	address := caller.Key{Address: netip.MustParsePrefix("192.0.2.1/32")}
	first, second := caller.Key{Company: "0a1b2c3d", Token: 1}, caller.Key{Company: "0a1b2c3d", Token: 2}
	ofDefault := caller.Key{Token: 1}
	if first.Group() != second.Group() {
		t.Error("tokens of one company are in several groups")
	}
	if ofDefault.Group() == first.Group() || address.Group() == ofDefault.Group() || (caller.Key{}).Group() != address.Group() {
		t.Error("want one group for the default company, and one for callers without a token")
	}
}

// contract 14.45
func TestCompaniesLimitTheDefaultOneOnceThereAreOthers(t *testing.T) {
	var c caller.Companies
	ofDefault, other := caller.Key{Token: 1}, caller.Key{Company: "0a1b2c3d", Token: 1}
	if got := c.Limit(ofDefault, 10); got != math.MaxInt64 {
		t.Errorf("the only company may hold %d", got)
	}
	if got := c.Limit(other, 10); got != 10 {
		t.Errorf("another company may hold %d, want as much as is free", got)
	}
	if got := c.Limit(ofDefault, 10); got != 10 {
		t.Errorf("beside it, the default one may hold %d, want as much as is free", got)
	}
}
