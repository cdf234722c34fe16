package performer_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
)

var (
	monday  = time.Date(2024, 3, 4, 9, 0, 0, 0, time.UTC)
	tuesday = monday.AddDate(0, 0, 1)
)

func percent(t *testing.T, s string) money.Percent {
	t.Helper()
	p, err := money.ParsePercent(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fullText sets every text but name and email to its own field name.
func fullText() performer.Attributes {
	return performer.Attributes{
		CompanyName:    domain.Some("company_name"),
		CompanyAddress: domain.Some("company_address"),
		RealAddress:    domain.Some("real_address"),
		BankDetails:    domain.Some("bank_details"),
		CompanyDetails: domain.Some("company_details"),
		Leader:         domain.Some("leader"),
		LeaderRank:     domain.Some("leader_rank"),
		Booker:         domain.Some("booker"),
		Phone:          domain.Some("phone"),
		StampFile:      domain.Some("stamp_file"),
		LeaderSigFile:  domain.Some("leader_sig_file"),
		BookerSigFile:  domain.Some("booker_sig_file"),
		Logo:           domain.Some("logo"),
	}
}

func TestNewPerformerHasDefaults(t *testing.T) { // contract 6.26
	p, err := performer.New(performer.Attributes{Name: domain.Some("Kontor Ltd")}, monday)
	if err != nil {
		t.Fatal(err)
	}
	want := performer.State{Name: "Kontor Ltd", Status: 1, CreatedAt: monday, UpdatedAt: monday}
	if diff := cmp.Diff(want, p.State()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// contract 6.26, 6.25
func TestNewPerformerHasItsAttributes(t *testing.T) {
	a := fullText()
	a.Name = domain.Some("Kontor Ltd")
	a.Email = domain.Some("post@kontor.example")
	a.Status = domain.Some(int64(-7))
	a.VATUse = domain.Some(true)
	a.VATPercent = domain.Some(percent(t, "7.5"))
	p, err := performer.New(a, monday)
	if err != nil {
		t.Fatal(err)
	}
	want := performer.State{
		Status: -7, Name: "Kontor Ltd", Email: "post@kontor.example",
		CompanyName: "company_name", CompanyAddress: "company_address", RealAddress: "real_address",
		BankDetails: "bank_details", CompanyDetails: "company_details",
		Leader: "leader", LeaderRank: "leader_rank", Booker: "booker", Phone: "phone",
		StampFile: "stamp_file", LeaderSigFile: "leader_sig_file", BookerSigFile: "booker_sig_file", Logo: "logo",
		Terms:     performer.Terms{VATUse: true, VATPercent: percent(t, "7.50")},
		CreatedAt: monday, UpdatedAt: monday,
	}
	if diff := cmp.Diff(want, p.State()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if p.Terms() != want.Terms {
		t.Errorf("terms %v", p.Terms())
	}
}

func TestNewPerformerNamesEveryWrongField(t *testing.T) { // contract 4.69, 4.71
	long := func(n int) domain.Optional[string] { return domain.Some(strings.Repeat("x", n+1)) }
	_, err := performer.New(performer.Attributes{
		Status: domain.Some(int64(math.MaxInt32) + 1), Email: domain.Some("?"),
		CompanyName: long(255), CompanyAddress: long(65535), RealAddress: long(65535), BankDetails: long(65535),
		CompanyDetails: long(65535), Leader: long(255), LeaderRank: long(255), Booker: long(255), Phone: long(64),
		StampFile: long(255), LeaderSigFile: long(255), BookerSigFile: long(255), Logo: long(255),
	}, monday)
	want := strings.Join([]string{
		"invalid: status must be from -2147483648 to 2147483647",
		"name is required",
		"company_name must have at most 255 characters",
		"company_address must have at most 65535 characters",
		"real_address must have at most 65535 characters",
		"bank_details must have at most 65535 characters",
		"company_details must have at most 65535 characters",
		"leader must have at most 255 characters",
		"leader_rank must have at most 255 characters",
		"booker must have at most 255 characters",
		"phone must have at most 64 characters",
		"email must be a single email address, such as ann@example.org",
		"stamp_file must have at most 255 characters",
		"leader_sig_file must have at most 255 characters",
		"booker_sig_file must have at most 255 characters",
		"logo must have at most 255 characters",
	}, "; ")
	if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestUpdate(t *testing.T) {
	before := performer.State{
		ID: 2, Version: 5, Status: 1, Name: "Kontor Ltd",
		Terms:     performer.Terms{VATUse: true, VATPercent: percent(t, "19")},
		CreatedAt: monday, UpdatedAt: monday,
	}
	for _, tt := range []struct {
		name   string
		a      performer.Attributes
		change func(*performer.State) // nil: none, and UpdatedAt stays
		err    string
	}{
		{name: "nothing said", err: "<nil>"},
		{
			name: "sent unchanged: contract 4.58", err: "<nil>",
			a: performer.Attributes{
				Name: domain.Some("Kontor Ltd"), Status: domain.Some(int64(1)),
				VATUse: domain.Some(true), VATPercent: domain.Some(percent(t, "19.00")),
			},
		},
		{
			name: "VAT alone changes", err: "<nil>", a: performer.Attributes{VATPercent: domain.Some(percent(t, "19.01"))},
			change: func(s *performer.State) { s.Terms.VATPercent = percent(t, "19.01") },
		},
		{
			name: "no VAT any more", err: "<nil>", a: performer.Attributes{VATUse: domain.Some(false), Logo: domain.Some("l.png")},
			change: func(s *performer.State) { s.Terms.VATUse, s.Logo = false, "l.png" },
		},
		{
			name: "after an error nothing has changed", a: performer.Attributes{Name: domain.Some(" "), Status: domain.Some(int64(math.MinInt32))},
			err: "invalid: name must not be empty",
		},
		{
			name: "the largest status", err: "<nil>", a: performer.Attributes{Status: domain.Some(int64(math.MaxInt32))},
			change: func(s *performer.State) { s.Status = math.MaxInt32 },
		},
		{
			name: "a status out of range", a: performer.Attributes{Status: domain.Some(int64(math.MinInt32) - 1)},
			err: "invalid: status must be from -2147483648 to 2147483647",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := before
			if tt.change != nil {
				tt.change(&want)
				want.UpdatedAt = tuesday
			}
			p := performer.Restore(before)
			if err := p.Update(tt.a, tuesday); fmt.Sprint(err) != tt.err {
				t.Errorf("error %v, want %s", err, tt.err)
			}
			if diff := cmp.Diff(want, p.State()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// contract 4.90
func TestPerformerUpdatedAtNeverGoesBack(t *testing.T) {
	p := performer.Restore(performer.State{Name: "Kontor Ltd", CreatedAt: monday, UpdatedAt: tuesday})
	if err := p.Update(performer.Attributes{Name: domain.Some("Kontor")}, monday.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := p.State().UpdatedAt; !got.Equal(tuesday) {
		t.Errorf("updated at %v, want %v", got, tuesday)
	}
}
