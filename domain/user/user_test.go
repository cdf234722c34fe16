package user_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/user"
)

var (
	monday  = time.Date(2024, 3, 4, 9, 0, 0, 0, time.UTC)
	tuesday = monday.AddDate(0, 0, 1)
)

func TestNewUserIsAManager(t *testing.T) {
	u, err := user.New(user.Attributes{Username: domain.Some("mira")}, monday)
	if err != nil {
		t.Fatal(err)
	}
	want := user.State{Username: "mira", Role: user.Manager, CreatedAt: monday, UpdatedAt: monday}
	if diff := cmp.Diff(want, u.State()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestNewUserHasItsAttributes(t *testing.T) {
	u, err := user.New(user.Attributes{
		Username:  domain.Some(" mira "),
		FirstName: domain.Some("Mira"),
		LastName:  domain.Some("Berg"),
		Email:     domain.Some("mira@example.org"),
		Role:      domain.Some(user.Viewer),
	}, monday)
	if err != nil {
		t.Fatal(err)
	}
	want := user.State{
		Username: "mira", FirstName: "Mira", LastName: "Berg", Email: "mira@example.org",
		Role: user.Viewer, CreatedAt: monday, UpdatedAt: monday,
	}
	if diff := cmp.Diff(want, u.State()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestNewUserNamesEveryWrongField(t *testing.T) {
	long := domain.Some(strings.Repeat("x", 256))
	for _, tt := range []struct {
		name string
		a    user.Attributes
		want string
	}{
		{"no username", user.Attributes{}, "invalid: username is required"},
		{"a blank inside", user.Attributes{Username: domain.Some("a b")}, "invalid: username must not hold blanks or colons"},
		{"another blank", user.Attributes{Username: domain.Some("a\u2003b")}, "invalid: username must not hold blanks or colons"},
		{"a colon, which HTTP Basic cannot represent", user.Attributes{Username: domain.Some("a:b")}, "invalid: username must not hold blanks or colons"},
		{
			"several", user.Attributes{FirstName: long, LastName: long, Email: domain.Some("?")},
			"invalid: username is required; fname must have at most 255 characters; " +
				"lname must have at most 255 characters; email must be a single email address, such as ann@example.org",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := user.New(tt.a, monday); fmt.Sprint(err) != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestName(t *testing.T) { // contract 6.8
	for want, s := range map[string]user.State{
		"Mira Berg": {Username: "mira", FirstName: "Mira", LastName: "Berg"},
		"Mira":      {Username: "mira", FirstName: "Mira"},
		"Berg":      {Username: "mira", LastName: "Berg"},
		"mira":      {Username: "mira"},
	} {
		if got := s.Name(); got != want {
			t.Errorf("%+v is called %q, want %q", s, got, want)
		}
	}
}

func TestRoleIsParsedFromItsName(t *testing.T) {
	for _, r := range []user.Role{user.Admin, user.Manager, user.Viewer} {
		if got, err := user.ParseRole(r.String()); got != r || err != nil {
			t.Errorf("ParseRole(%q) = %v, %v", r, got, err)
		}
	}
	for _, s := range []string{"", "Admin", "root"} {
		if got, err := user.ParseRole(s); fmt.Sprint(err) != "invalid: role must be admin, manager or viewer" {
			t.Errorf("ParseRole(%q) = %v, %v", s, got, err)
		}
	}
}

func TestUserUpdatedAtMovesOnlyWithAChangeAndNeverBeforeCreation(t *testing.T) {
	base := user.State{ID: 1, Username: "mira", Role: user.Manager, CreatedAt: monday, UpdatedAt: monday}
	disabled, viewer := base, base
	disabled.Disabled = true
	viewer.Role = user.Viewer
	moved := func(s user.State) user.State { s.UpdatedAt = tuesday; return s }

	for _, tt := range []struct {
		name string
		from user.State
		do   func(*user.User)
		want user.State
	}{
		{"disabled", base, func(u *user.User) { u.Disable(tuesday) }, moved(disabled)},
		{"disabled already", disabled, func(u *user.User) { u.Disable(tuesday) }, disabled},
		{"enabled", disabled, func(u *user.User) { u.Enable(tuesday) }, moved(base)},
		{"enabled already", base, func(u *user.User) { u.Enable(tuesday) }, base},
		{"another role", base, func(u *user.User) { u.Assign(user.Viewer, tuesday) }, moved(viewer)},
		{"the same role", base, func(u *user.User) { u.Assign(user.Manager, tuesday) }, base},
		{"the clock was set back", base, func(u *user.User) { u.Disable(monday.Add(-time.Hour)) }, disabled},
		{"an earlier request is served later", moved(base), func(u *user.User) { u.Disable(monday) }, moved(disabled)}, // contract 4.90
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := user.Restore(tt.from)
			tt.do(u)
			if diff := cmp.Diff(tt.want, u.State()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
