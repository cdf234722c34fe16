package position_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/kontor-crm/kontor/ports/position"
)

var of = position.Position{System: -7, Timeline: 2, WAL: 1000}

func TestPositionCoversNoLaterTimelineAndNoOtherCluster(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		other position.Position
		want  bool
	}{
		{position.Position{}, true},
		{of, true},
		{position.Position{System: -7, Timeline: 2, WAL: 999}, true},
		{position.Position{System: -7, Timeline: 2, WAL: 1001}, false},
		{position.Position{System: -7, Timeline: 1, WAL: 1000}, true},
		{position.Position{System: -7, Timeline: 1, WAL: 1001}, false},
		{position.Position{System: -7, Timeline: 3, WAL: 1}, false},
		{position.Position{System: 7, Timeline: 1, WAL: 1}, false},
	} {
		if got := of.Covers(c.other); got != c.want {
			t.Errorf("%+v covers %+v: %t", of, c.other, got)
		}
	}
}

type server struct{ retreated, settled int }

func (s *server) Settle(context.Context) error { s.settled++; return nil }

func (s *server) Retreat() { s.retreated++ }

func TestRequestRetreatsFromFailedServerOnly(t *testing.T) {
	t.Parallel()
	s := &server{}
	r := &position.Request{Server: s}
	if r.Retreat(nil) || r.Retreat(errors.New("a defect")) || s.retreated > 0 {
		t.Error("it retreats without a failure")
	}
	if !r.Retreat(fmt.Errorf("read: %w", position.ErrServerFailed)) || s.retreated != 1 {
		t.Error("it does not retreat")
	}
	if err := r.Settle(t.Context()); err != nil || s.settled != 1 {
		t.Error("it does not settle")
	}
	var none *position.Request
	if none.Retreat(position.ErrServerFailed) || none.Settle(t.Context()) != nil {
		t.Error("there is no request")
	}
}
