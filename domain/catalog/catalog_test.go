package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
)

func TestStatusIsNotTheDefaultUnlessRequested(t *testing.T) { // contract 6.9
	for _, want := range []catalog.StatusState{
		{Name: "In talks"},
		{Name: "Won", Default: true, Color: "#1E90ff"},
	} {
		a := catalog.StatusAttributes{Name: domain.Some(want.Name)}
		if want.Default {
			a.Default, a.Color = domain.Some(true), domain.Some(want.Color)
		}
		st, err := catalog.NewStatus(a)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, st.State()); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
}

func TestStatusNeedsAName(t *testing.T) { // contract 6.9
	_, err := catalog.NewStatus(catalog.StatusAttributes{Color: domain.Some("red")})
	if got, want := fmt.Sprint(err), "invalid: name is required; color must be empty or like #1e90ff"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestStatusColorIsEmptyOrSixHexadecimalDigits(t *testing.T) { // contract 6.9
	for color, ok := range map[string]bool{
		"":         true,
		"#000000":  true,
		"#AbCdEf":  true,
		"#abc":     false,
		"#1234567": false,
		"#12345g":  false,
		"#12-456":  false,
		"1234567":  false,
		"#":        false,
		"red":      false,
	} {
		st := catalog.RestoreStatus(catalog.StatusState{Name: "Won", Color: "#ffffff"})
		err := st.Update(catalog.StatusAttributes{Color: domain.Some(color)})
		if (err == nil) != ok {
			t.Errorf("%q: %v", color, err)
		}
		want := color
		if !ok {
			want = "#ffffff"
		}
		if got := st.State().Color; got != want {
			t.Errorf("%q sent, %q stored", color, got)
		}
	}
}

func TestStatusStaysDefaultUntilAnotherBecomesIt(t *testing.T) { // contract 6.13
	const rejection = "conflict: this is the default status: make another one the default instead"
	for _, tt := range []struct {
		from, to, want bool
		err            string
	}{
		{from: false, to: true, want: true, err: "<nil>"},
		{from: false, to: false, want: false, err: "<nil>"},
		{from: true, to: true, want: true, err: "<nil>"},
		{from: true, to: false, want: true, err: rejection},
	} {
		st := catalog.RestoreStatus(catalog.StatusState{ID: 1, Name: "Won", Default: tt.from})
		err := st.Update(catalog.StatusAttributes{Default: domain.Some(tt.to), Name: domain.Some("Lost")})
		if fmt.Sprint(err) != tt.err || st.State().Default != tt.want {
			t.Errorf("from %v to %v: default %v, %v", tt.from, tt.to, st.State().Default, err)
		}
		if (err == nil) != (st.State().Name == "Lost") {
			t.Errorf("from %v to %v: %v, yet the name is %q", tt.from, tt.to, err, st.State().Name)
		}
	}

	st := catalog.RestoreStatus(catalog.StatusState{Name: "Won", Default: true})
	st.ClearDefault()
	if st.State().Default {
		t.Error("a status that yielded is the default still")
	}
}

func TestStatusFieldsAreCheckedBeforeTheDefault(t *testing.T) { // contract 3.25
	st := catalog.RestoreStatus(catalog.StatusState{Name: "Won", Default: true})
	err := st.Update(catalog.StatusAttributes{Default: domain.Some(false), Name: domain.Some("")})
	if got := fmt.Sprint(err); got != "invalid: name must not be empty" {
		t.Errorf("got %s", got)
	}
}

func TestStatusDeleteIsRejectedForTheDefault(t *testing.T) { // contract 6.15
	st := catalog.RestoreStatus(catalog.StatusState{Name: "Won", Default: true})
	const want = "conflict: the default status cannot be deleted: make another one the default first"
	if err := st.CheckDelete(); fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	st.ClearDefault()
	if err := st.CheckDelete(); err != nil {
		t.Errorf("another status: %v", err)
	}
}

func TestLabelIsRequiredUnderTheFieldNameOfItsList(t *testing.T) { // contract 6.15, 6.20
	checkLabel[catalog.DealTypeID](t, "name")
	checkLabel[catalog.InvoiceTypeID](t, "title")
}

func checkLabel[ID catalog.LabelID](t *testing.T, field string) {
	t.Helper()
	if _, err := catalog.NewLabel[ID](catalog.LabelAttributes{}); fmt.Sprint(err) != "invalid: "+field+" is required" {
		t.Errorf("without a name: %v", err)
	}
	l, err := catalog.NewLabel[ID](catalog.LabelAttributes{Name: domain.Some(" Services ")})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(catalog.LabelState[ID]{Name: "Services"}, l.State()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}

	stored := catalog.LabelState[ID]{ID: 4, Version: 2, Name: "Goods"}
	for _, tt := range []struct {
		sent      domain.Optional[string]
		want, err string
	}{
		{domain.Optional[string]{}, "Goods", "<nil>"},
		{domain.Some("Services"), "Services", "<nil>"},
		{domain.Some(""), "Goods", "invalid: " + field + " must not be empty"},
		{domain.Some(strings.Repeat("x", 256)), "Goods", "invalid: " + field + " must have at most 255 characters"},
	} {
		l := catalog.RestoreLabel(stored)
		err := l.Update(catalog.LabelAttributes{Name: tt.sent})
		want := stored
		want.Name = tt.want
		if diff := cmp.Diff(want, l.State()); diff != "" || fmt.Sprint(err) != tt.err {
			t.Errorf("%v sent: %v\n-want +got\n%s", tt.sent, err, diff)
		}
	}
}
