package ports_test

import (
	"testing"

	"github.com/kontor-crm/kontor/ports"
)

// contract 3.36
func TestCallerShareIsAPartOfALimit(t *testing.T) {
	for _, c := range []struct {
		share       ports.CallerShare
		limit, want int
	}{
		{25, 256, 64},
		{25, 10, 2},
		{25, 3, 1},
		{1, 16, 1},
		{100, 7, 7},
		{0, 7, 7},
	} {
		if got := c.share.Of(c.limit); got != c.want {
			t.Errorf("%d%% of %d is %d, want %d", c.share, c.limit, got, c.want)
		}
	}
}
