package access_test

import (
	"testing"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/user"
)

// contract 5.13
func TestRoleMayWriteInItsAreas(t *testing.T) {
	may := map[user.Role]map[access.Area]bool{
		user.Admin:   {access.Business: true, access.Reference: true, access.Rules: true},
		user.Manager: {access.Business: true, access.Reference: false, access.Rules: false},
		user.Viewer:  {access.Business: false, access.Reference: false, access.Rules: false},
		0:            {access.Business: false, access.Reference: false, access.Rules: false},
	}
	for role, areas := range may {
		for area, want := range areas {
			err := access.Actor{UserID: 1, Role: role}.MayWrite(area)
			if (err == nil) != want || err != nil && !fault.Is(err, fault.Forbidden) {
				t.Errorf("role %q, area %d: %v, want it allowed: %v", role, area, err, want)
			}
		}
	}
}

// contract 5.106
func TestOnlyWhoMayWriteTokensReadsThem(t *testing.T) {
	for _, tt := range []struct {
		actor access.Actor
		want  bool
	}{
		{access.Actor{Role: user.Admin}, true}, {access.Actor{IsOperator: true}, true},
		{access.Actor{Role: user.Manager}, false}, {access.Actor{Role: user.Viewer}, false},
	} {
		for area := access.Business; area <= access.Administration; area++ {
			err := tt.actor.MayRead(area)
			if want := tt.want || area != access.Administration; want != (err == nil) || err != nil && !fault.Is(err, fault.Forbidden) {
				t.Errorf("%+v reads area %d: %v", tt.actor, area, err)
			}
		}
	}
}
