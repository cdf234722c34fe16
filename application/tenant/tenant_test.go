package tenant_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tenants "github.com/kontor-crm/kontor/application/tenant"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// store is a catalogue in memory, whose steps are recorded and can be interrupted.
type store struct {
	rows    map[tenant.Code]tenant.Tenant
	schemas map[tenant.Code]bool
	steps   []string
	stopAt  string // the step that fails
}

func newStore(rows ...tenant.Tenant) *store {
	s := &store{rows: map[tenant.Code]tenant.Tenant{}, schemas: map[tenant.Code]bool{}}
	for _, c := range rows {
		s.rows[c.Code] = c
		s.schemas[c.Code] = c.State != tenant.Adding
	}
	return s
}

var errKilled = errors.New("killed")

func (s *store) step(name string) error {
	if name == s.stopAt {
		return errKilled
	}
	s.steps = append(s.steps, name)
	return nil
}

func (s *store) Version(context.Context) (int64, error) { return 1, nil }

func (s *store) List(context.Context) (tenant.Listing, error) {
	l := tenant.Listing{Version: 1}
	for _, c := range s.rows {
		l.Tenants = append(l.Tenants, c)
	}
	slices.SortFunc(l.Tenants, func(a, b tenant.Tenant) int { return strings.Compare(a.Name, b.Name) })
	return l, nil
}

func (s *store) Prepare(context.Context) error { return s.step("prepare") }

func (s *store) named(name string) (tenant.Tenant, bool) {
	for _, c := range s.rows {
		if c.Name == name {
			return c, true
		}
	}
	return tenant.Tenant{}, false
}

func (s *store) Add(_ context.Context, c tenant.Tenant, use func(tenant.Held) error) error {
	other, isTaken := s.named(c.Name)
	switch {
	case isTaken && other.State != tenant.Adding:
		return tenant.ErrTaken
	case isTaken:
		c.Code = other.Code
	}
	s.rows[c.Code] = c
	if err := s.step("add"); err != nil {
		return err
	}
	return use(&held{s, c})
}

func (s *store) Hold(_ context.Context, name string, use func(tenant.Held) error) error {
	c, ok := s.named(name)
	if !ok {
		return tenant.ErrUnknown
	}
	return use(&held{s, c})
}

func (s *store) Adopt(_ context.Context, c tenant.Tenant) (tenant.Tenant, error) {
	s.rows[c.Code] = c
	return c, s.step("adopt")
}

type held struct {
	s   *store
	row tenant.Tenant
}

func (h *held) Tenant() tenant.Tenant { return h.row }

func (h *held) Save(_ context.Context, c tenant.Tenant) error {
	h.row, h.s.rows[c.Code] = c, c
	return h.s.step("save " + string(c.State))
}

func (h *held) Create(context.Context) error {
	if err := h.s.step("create"); err != nil {
		return err
	}
	h.row.State = tenant.Active
	h.s.rows[h.row.Code], h.s.schemas[h.row.Code] = h.row, true
	return nil
}

func (h *held) SetZone(_ context.Context, zone string) error {
	h.row.TimeZone = zone
	h.s.rows[h.row.Code] = h.row
	return h.s.step("zone " + zone)
}

func (h *held) AwaitPropagation(context.Context) error { return h.s.step("await propagation") }

func (h *held) Drop(context.Context) error {
	if err := h.s.step("drop"); err != nil {
		return err
	}
	delete(h.s.rows, h.row.Code)
	delete(h.s.schemas, h.row.Code)
	return nil
}

type clock struct{}

func (clock) Now() time.Time         { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
func (clock) Elapsed() time.Duration { return 0 }

// contract 14.3, 14.5
func TestAddInterruptedAtAnyStepIsFinishedByTheSameCommand(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"prepare", "add", "create"} {
		s := newStore()
		all := tenants.New(s, clock{})
		s.stopAt = step
		if _, err := all.Add(t.Context(), "bakery", "Europe/Berlin"); !errors.Is(err, errKilled) {
			t.Fatalf("%s: %v", step, err)
		}
		for _, c := range s.rows {
			if c.State == tenant.Active || s.schemas[c.Code] {
				t.Errorf("stopped at %s, the company is %s", step, c.State)
			}
		}
		s.stopAt = ""
		added, err := all.Add(t.Context(), "bakery", "Asia/Tokyo")
		if err != nil || len(s.rows) != 1 || added != s.rows[added.Code] || added.State != tenant.Active || added.TimeZone != "Asia/Tokyo" {
			t.Errorf("stopped at %s and repeated: %+v, %v", step, s.rows, err)
		}
	}
}

// contract 14.10
func TestRemoveInterruptedAtAnyStepIsFinishedByTheSameCommand(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"save removing", "await propagation", "drop"} {
		s := newStore(tenant.Tenant{Code: "0000000a", Name: "bakery", State: tenant.Active})
		all := tenants.New(s, clock{})
		s.stopAt = step
		if err := all.Remove(t.Context(), "bakery"); !errors.Is(err, errKilled) {
			t.Fatalf("%s: %v", step, err)
		}
		if s.rows["0000000a"].State == tenant.Active || !s.schemas["0000000a"] {
			t.Errorf("stopped at %s: %+v, %v", step, s.rows, s.schemas)
		}
		for _, use := range []func() error{
			func() error { return all.Enable(t.Context(), "bakery") },
			func() error { return all.Rename(t.Context(), "bakery", "other") },
		} {
			if err := use(); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "kontor company remove bakery --really finishes it") {
				t.Errorf("stopped at %s, the company is used: %v", step, err)
			}
		}
		s.stopAt, s.steps = "", nil
		if err := all.Remove(t.Context(), "bakery"); err != nil || len(s.rows) != 0 || len(s.schemas) != 0 {
			t.Errorf("stopped at %s and repeated: %+v, %v", step, s.rows, err)
		}
		if want := []string{"save removing", "await propagation", "drop"}; !slices.Equal(s.steps, want) {
			t.Errorf("the steps are %v, want %v", s.steps, want)
		}
	}
}

// contract 14.5
func TestAddingCompanyCanOnlyBeFinishedOrRemoved(t *testing.T) {
	t.Parallel()
	s := newStore(tenant.Tenant{Code: "0000000a", Name: "bakery", State: tenant.Adding})
	all := tenants.New(s, clock{})
	for name, use := range map[string]func() error{
		"disable": func() error { return all.Disable(t.Context(), "bakery") },
		"enable":  func() error { return all.Enable(t.Context(), "bakery") },
		"rename":  func() error { return all.Rename(t.Context(), "bakery", "other") },
		"use":     func() error { _, err := all.Usable(t.Context(), "bakery"); return err },
	} {
		if err := use(); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "kontor company add bakery finishes it") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := all.Remove(t.Context(), "bakery"); err != nil || len(s.rows) != 0 {
		t.Errorf("remove: %v", err)
	}
}

// contract 14.34
func TestRenameDisableAndEnableChangeTheRowOnly(t *testing.T) {
	t.Parallel()
	before := tenant.Tenant{Code: "0000000a", Name: "bakery", State: tenant.Active, TimeZone: "UTC", Migration: 11}
	s := newStore(before)
	all := tenants.New(s, clock{})
	want := before
	for _, c := range []struct {
		do   error
		want func()
	}{
		{all.Enable(t.Context(), "bakery"), func() {}},
		{all.Rename(t.Context(), "bakery", "b-2"), func() { want.Name = "b-2" }},
		{all.Disable(t.Context(), "b-2"), func() { want.State = tenant.Disabled }},
	} {
		c.want()
		if c.do != nil {
			t.Error(c.do)
		}
	}
	if s.rows["0000000a"] != want {
		t.Errorf("%+v, want %+v", s.rows["0000000a"], want)
	}
	if err := all.Enable(t.Context(), "b-2"); err != nil || s.rows["0000000a"].State != tenant.Active {
		t.Errorf("enabled, it is %+v, %v", s.rows["0000000a"], err)
	}
	if want := []string{"save active", "save disabled", "save active"}; !slices.Equal(s.steps, want) {
		t.Errorf("the steps are %v, want %v", s.steps, want)
	}
	if err := all.Rename(t.Context(), "b-2", "public"); !fault.Is(err, fault.Invalid) {
		t.Errorf("renamed to a reserved name: %v", err)
	}
	if err := all.Disable(t.Context(), "bakery"); !errors.Is(err, tenant.ErrUnknown) {
		t.Errorf("the former name: %v", err)
	}
}

// contract 14.11
func TestSetZoneUpdatesTheRecords(t *testing.T) {
	t.Parallel()
	s := newStore(tenant.Tenant{Code: "0000000a", Name: "bakery", State: tenant.Active, TimeZone: "UTC"})
	if err := tenants.New(s, clock{}).SetZone(t.Context(), "bakery", "Asia/Tokyo"); err != nil {
		t.Fatal(err)
	}
	if want := []string{"zone Asia/Tokyo"}; !slices.Equal(s.steps, want) {
		t.Errorf("the steps are %v, want %v", s.steps, want)
	}
}

// contract 14.3
func TestAdoptStoresACompanyThatIsActive(t *testing.T) {
	t.Parallel()
	s := newStore()
	all := tenants.New(s, clock{})
	adopted, err := all.Adopt(t.Context(), "bakery", "0000000e")
	if err != nil || adopted.Code != "0000000e" || adopted.Name != "bakery" || adopted.State != tenant.Active {
		t.Errorf("%+v, %v", adopted, err)
	}
	if _, err := all.Adopt(t.Context(), "Copy", "0000000f"); !fault.Is(err, fault.Invalid) {
		t.Errorf("no name: %v", err)
	}
}
