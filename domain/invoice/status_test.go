package invoice_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
)

func TestInvoiceStatusHasFourValues(t *testing.T) { // contract 10.27
	for n, want := range map[int64]string{
		1: "Not paid, paid false, closed false",
		2: "Paid, paid true, closed false",
		3: "Closed, paid true, closed true",
		4: "Cancelled, paid false, closed false",
	} {
		s, ok := invoice.ParseStatus(n)
		if got := fmt.Sprintf("%v, paid %v, closed %v", s, s.Paid(), s.Closed()); !ok || got != want {
			t.Errorf("%d is %s (%v), want %s", n, got, ok, want)
		}
	}
	for _, n := range []int64{-1, 0, 5, 257, 1 << 32} {
		if s, ok := invoice.ParseStatus(n); ok || s.Paid() && n == 0 {
			t.Errorf("%d is a state: %v", n, s)
		}
	}
}

// requested is what a write sets of the state.
type requested struct {
	paid, closed domain.Optional[bool]
	status       domain.Optional[invoice.Status]
}

func (w requested) on(a invoice.Attributes) invoice.Attributes {
	a.Paid, a.Closed, a.Status = w.paid, w.closed, w.status
	return a
}

var (
	yes, no  = domain.Some(true), domain.Some(false)
	notPaid  = domain.Some(invoice.NotPaid)
	paid     = domain.Some(invoice.Paid)
	closed   = domain.Some(invoice.Closed)
	canceled = domain.Some(invoice.Cancelled)
)

const (
	unpaidClosed  = "invalid: closed must not be true while paid is false"
	paidDisagrees = "invalid: paid contradicts status_id"
	closDisagrees = "invalid: closed contradicts status_id"
)

func TestNewInvoiceStatusFollowsItsFlags(t *testing.T) { // contract 10.29, 10.30, 10.35
	for _, tt := range []struct {
		requested
		want string
	}{
		{requested{}, "Not paid"},
		{requested{paid: no}, "Not paid"},
		{requested{closed: no}, "Not paid"},
		{requested{paid: no, closed: no}, "Not paid"},
		{requested{paid: yes}, "Paid"},
		{requested{paid: yes, closed: no}, "Paid"},
		{requested{paid: yes, closed: yes}, "Closed"},
		{requested{status: notPaid}, "Not paid"},
		{requested{status: paid}, "Paid"},
		{requested{status: closed}, "Closed"},
		{requested{status: canceled}, "Cancelled"},
		{requested{status: closed, closed: yes}, "Closed"},
		{requested{status: canceled, paid: no, closed: no}, "Cancelled"},
		{requested{closed: yes}, unpaidClosed},
		{requested{paid: no, closed: yes}, unpaidClosed},
		{requested{paid: no, closed: yes, status: closed}, unpaidClosed},
		{requested{status: notPaid, paid: yes}, paidDisagrees},
		{requested{status: paid, paid: no}, paidDisagrees},
		{requested{status: paid, closed: yes}, closDisagrees},
		{requested{status: closed, closed: no}, closDisagrees},
		{requested{status: canceled, closed: yes}, closDisagrees},
		{requested{status: canceled, paid: yes, closed: yes}, paidDisagrees + "; closed contradicts status_id"},
		{requested{status: domain.Some(invoice.Status(0))}, "invalid: status_id must be 1, 2, 3 or 4"},
		{requested{status: domain.Some(invoice.Status(5))}, "invalid: status_id must be 1, 2, 3 or 4"},
	} {
		inv, err := invoice.New(issuer, tt.on(required()), noVAT, monday)
		if err != nil {
			if err.Error() != tt.want {
				t.Errorf("%+v: %v, want %s", tt.requested, err, tt.want)
			}
			continue
		}
		s := inv.State()
		if s.Status.String() != tt.want {
			t.Errorf("%+v: %v, want %s", tt.requested, s.Status, tt.want)
		}
		if s.Status.Paid() != s.PaidOn.Equal(monday) || s.Status.Paid() == s.PaidOn.IsZero() {
			t.Errorf("%+v: %v, paid on %v", tt.requested, s.Status, s.PaidOn)
		}
	}
}

func TestInvoiceUpdateMovesTheStatus(t *testing.T) { // contract 10.30, 10.33
	const (
		n, p, cl, ca = invoice.NotPaid, invoice.Paid, invoice.Closed, invoice.Cancelled
		conflict     = "conflict: an invoice that is "
	)
	for _, tt := range []struct {
		from invoice.Status
		requested
		want string
	}{
		// By flags.
		{n, requested{paid: yes}, "Paid"},
		{n, requested{paid: yes, closed: no}, "Paid"},
		{n, requested{paid: yes, closed: yes}, "Closed"},
		{n, requested{closed: yes}, conflict + "not paid cannot be closed: it has to be paid"},
		{n, requested{paid: no, closed: yes}, unpaidClosed},
		{p, requested{paid: no}, "Not paid"},
		{p, requested{paid: no, closed: no}, "Not paid"},
		{p, requested{closed: yes}, "Closed"},
		{p, requested{paid: yes, closed: yes}, "Closed"},
		{p, requested{paid: no, closed: yes}, unpaidClosed},
		{cl, requested{closed: no}, "Paid"},
		{cl, requested{paid: yes, closed: no}, "Paid"},
		{cl, requested{paid: no}, conflict + "closed cannot become not paid"},
		{cl, requested{paid: no, closed: no}, conflict + "closed cannot become not paid"},
		{cl, requested{paid: no, closed: yes}, unpaidClosed},
		{ca, requested{paid: no, closed: no}, "Cancelled"},
		{ca, requested{paid: yes}, conflict + "cancelled cannot become paid"},
		{ca, requested{closed: yes}, conflict + "cancelled cannot be closed: it has to be paid"},
		{ca, requested{paid: yes, closed: yes}, conflict + "cancelled cannot become closed"},
		{ca, requested{paid: no, closed: yes}, unpaidClosed},

		// By name.
		{n, requested{status: paid}, "Paid"},
		{n, requested{status: closed}, "Closed"},
		{n, requested{status: canceled}, "Cancelled"},
		{p, requested{status: notPaid}, "Not paid"},
		{p, requested{status: closed}, "Closed"},
		{p, requested{status: canceled}, conflict + "paid cannot become cancelled"},
		{cl, requested{status: paid}, "Paid"},
		{cl, requested{status: notPaid}, conflict + "closed cannot become not paid"},
		{cl, requested{status: canceled}, conflict + "closed cannot become cancelled"},
		{ca, requested{status: notPaid}, "Not paid"},
		{ca, requested{status: paid}, conflict + "cancelled cannot become paid"},
		{ca, requested{status: closed}, conflict + "cancelled cannot become closed"},
		{n, requested{status: domain.Some(invoice.Status(0))}, "invalid: status_id must be 1, 2, 3 or 4"},

		// By both: an echo is no requested.
		{n, requested{paid: no, closed: no, status: paid}, "Paid"},
		{n, requested{paid: no, closed: no, status: closed}, "Closed"},
		{n, requested{paid: yes, closed: no, status: notPaid}, "Paid"},
		{p, requested{paid: yes, closed: yes, status: paid}, "Closed"},
		{cl, requested{paid: yes, closed: yes, status: paid}, "Paid"},
		{ca, requested{paid: no, closed: no, status: notPaid}, "Not paid"},
		{ca, requested{paid: no, closed: no, status: canceled}, "Cancelled"},

		// By both: requests have to agree.
		{n, requested{paid: yes, closed: yes, status: closed}, "Closed"},
		{n, requested{paid: yes, status: canceled}, paidDisagrees},
		{n, requested{closed: yes, status: paid}, closDisagrees},
		{p, requested{paid: no, status: closed}, paidDisagrees},
		{cl, requested{closed: no, status: canceled}, conflict + "closed cannot become cancelled"},
		{ca, requested{paid: yes, status: notPaid}, paidDisagrees},
	} {
		inv := invoice.Restore(stored(tt.from))
		var got string
		if err := inv.Update(tt.on(invoice.Attributes{}), vat20, tuesday); err != nil {
			got = err.Error()
		} else {
			got = inv.State().Status.String()
		}
		if got != tt.want {
			t.Errorf("%v, %+v: %s, want %s", tt.from, tt.requested, got, tt.want)
		}
	}
}

func TestInvoiceUpdateIsNotBeforeItsCreation(t *testing.T) { // contract 4.90
	inv := invoice.Restore(stored(invoice.NotPaid))
	if err := inv.Update(invoice.Attributes{Status: domain.Some(invoice.Paid)}, vat20, monday.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if s := inv.State(); !s.PaidOn.Equal(monday) || !s.UpdatedOn.Equal(monday) {
		t.Errorf("paid on %v, updated on %v, want %v", s.PaidOn, s.UpdatedOn, monday)
	}
}

func TestInvoicePaidOnIsSetAndClearedWithPaid(t *testing.T) { // contract 10.35
	for _, tt := range []struct {
		from, to invoice.Status
		want     string
	}{
		{invoice.NotPaid, invoice.Paid, "tuesday"},
		{invoice.NotPaid, invoice.Closed, "tuesday"},
		{invoice.Paid, invoice.Closed, "monday"},
		{invoice.Closed, invoice.Paid, "monday"},
		{invoice.Paid, invoice.NotPaid, "never"},
		{invoice.NotPaid, invoice.Cancelled, "never"},
		{invoice.Cancelled, invoice.NotPaid, "never"},
	} {
		inv := invoice.Restore(stored(tt.from))
		if err := inv.Update(invoice.Attributes{Status: domain.Some(tt.to)}, vat20, tuesday); err != nil {
			t.Fatal(err)
		}
		got := inv.State().PaidOn
		days := map[bool]string{got.IsZero(): "never", got.Equal(monday): "monday", got.Equal(tuesday): "tuesday"}
		if days[true] != tt.want {
			t.Errorf("from %v to %v: paid on %v, want %s", tt.from, tt.to, got, tt.want)
		}
		if !inv.State().UpdatedOn.Equal(tuesday) {
			t.Errorf("from %v to %v: updated on %v", tt.from, tt.to, inv.State().UpdatedOn)
		}
	}
}

func TestInvoiceStatusRequestsAreGrantedOrRejected(t *testing.T) { // contract 10.30, 10.33
	moves := map[string]bool{"1>2": true, "2>1": true, "2>3": true, "3>2": true, "1>4": true, "4>1": true, "1>3": true}
	flags := []domain.Optional[bool]{{}, no, yes}
	named := []domain.Optional[invoice.Status]{{}, notPaid, paid, closed, canceled}
	for _, from := range allStatuses() {
		for i := range len(flags) * len(flags) * len(named) {
			w := requested{flags[i%3], flags[i/3%3], named[i/9]}
			inv := invoice.Restore(stored(from))
			err := inv.Update(w.on(invoice.Attributes{}), vat20, tuesday)
			to := inv.State().Status

			isWish := w.paid.Or(from.Paid()) != from.Paid() || w.closed.Or(from.Closed()) != from.Closed() || w.status.Or(from) != from
			possible := false // for some requested state
			for _, s := range allStatuses() {
				possible = possible || granted(from, s, w)
			}
			nonsense := w.paid == no && w.closed == yes || !possible
			switch {
			case nonsense != fault.Is(err, fault.Invalid):
				t.Errorf("%v, %+v: %v, is it nonsense? %v", from, w, err, nonsense)
			case err != nil && to != from:
				t.Errorf("%v, %+v: %v, and the state is %v", from, w, err, to)
			case err != nil:
			case !isWish && to != from:
				t.Errorf("%v, %+v: became %v unasked", from, w, to)
			case to != from && !moves[fmt.Sprintf("%d>%d", from, to)]:
				t.Errorf("%v, %+v: no invoice may become %v", from, w, to)
			case !granted(from, to, w):
				t.Errorf("%v, %+v: became %v, which was not the requested", from, w, to)
			}
		}
	}
}

// granted reports whether the state to is what w requests of an invoice in the state from.
func granted(from, to invoice.Status, w requested) bool {
	p, c, s := w.paid.Or(from.Paid()), w.closed.Or(from.Closed()), w.status.Or(from)
	return (p == from.Paid() || p == to.Paid()) && (c == from.Closed() || c == to.Closed()) && (s == from || s == to)
}

func TestAttributesRequestThatAnInvoiceIsNotPaid(t *testing.T) { // contract 16.62
	for _, tt := range []struct {
		a    invoice.Attributes
		want bool
	}{
		{invoice.Attributes{}, false},
		{invoice.Attributes{Paid: domain.Some(true)}, false},
		{invoice.Attributes{Paid: domain.Some(false)}, true},
		{invoice.Attributes{Status: domain.Some(invoice.NotPaid)}, true},
		{invoice.Attributes{Status: domain.Some(invoice.Cancelled)}, false},
	} {
		if got := tt.a.RequestsUnpaid(); got != tt.want {
			t.Errorf("%+v: %v", tt.a, got)
		}
	}
}
