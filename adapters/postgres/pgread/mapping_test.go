package pgread

import (
	"maps"
	"testing"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// A constant would make an empty list one record of nulls.
func TestMappingNeedsAVersionOfItsRow(t *testing.T) {
	isAccepted := func(version string) (accepted bool) {
		defer func() { accepted = recover() == nil }()
		changed := *accounts
		changed.columns = maps.Clone(accounts.columns)
		changed.columns["version"] = version
		newReader[readmodel.NoFilter](nil, &changed)
		return true
	}
	for version, want := range map[string]bool{
		"r.version": true, "r.id": true, "1": false, "null": false, "coalesce(r.version, 1)": false, "other.version": false,
	} {
		if isAccepted(version) != want {
			t.Errorf("the version %s is accepted: %t", version, !want)
		}
	}
}
