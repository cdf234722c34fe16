package readmodel_test

import (
	"testing"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

var reached = readmodel.Position{System: -7, Timeline: 2, WAL: 1000}

func TestPositionCoversNoLaterTimelineAndNoOtherCluster(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		other readmodel.Position
		want  bool
	}{
		{readmodel.Position{}, true},
		{reached, true},
		{readmodel.Position{System: -7, Timeline: 2, WAL: 999}, true},
		{readmodel.Position{System: -7, Timeline: 2, WAL: 1001}, false},
		{readmodel.Position{System: -7, Timeline: 1, WAL: 1000}, true},
		{readmodel.Position{System: -7, Timeline: 1, WAL: 1001}, false},
		{readmodel.Position{System: -7, Timeline: 3, WAL: 1}, false},
		{readmodel.Position{System: 7, Timeline: 1, WAL: 1}, false},
	} {
		if got := reached.Covers(c.other); got != c.want {
			t.Errorf("%+v covers %+v: %t", reached, c.other, got)
		}
	}
}

func TestPositionIsParsedFromItsTextOnly(t *testing.T) {
	t.Parallel()
	text := reached.String()
	if got, err := readmodel.ParsePosition(text); err != nil || got != reached {
		t.Errorf("%q: %+v, %v", text, got, err)
	}
	for _, other := range []string{"", "recent", "0" + text, "0/3000148", "7-2-G", "7-1ffffffff-3", "7-2-+3", "7-2-3-4"} {
		if got, err := readmodel.ParsePosition(other); err == nil {
			t.Errorf("%q is %+v", other, got)
		}
	}
}
