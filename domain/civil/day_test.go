package civil_test

import (
	"testing"

	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/fault"
)

// contract 10.7, 16.42
func TestPeriodHasDaysInTheirOrder(t *testing.T) {
	before := civil.Period{From: "2024-01-01", To: "2024-01-31"}
	const (
		noFrom = "invalid: a.period_from must be a date from 1900 on: YYYY-MM-DD"
		noTo   = "invalid: a.period_to must be a date from 1900 on: YYYY-MM-DD"
	)
	for name, tt := range map[string]struct {
		sent, want civil.Period
		wrong      string
	}{
		"none":               {civil.Period{}, civil.Period{}, ""},
		"both":               {civil.Period{From: "2024-02-01", To: "2024-02-29"}, civil.Period{From: "2024-02-01", To: "2024-02-29"}, ""},
		"one day":            {civil.Period{From: "2024-02-01", To: "2024-02-01"}, civil.Period{From: "2024-02-01", To: "2024-02-01"}, ""},
		"without an end":     {civil.Period{From: "2024-02-01"}, civil.Period{From: "2024-02-01"}, ""},
		"without a start":    {civil.Period{To: "2024-02-01"}, civil.Period{To: "2024-02-01"}, ""},
		"the wrong way":      {civil.Period{From: "2024-02-02", To: "2024-02-01"}, before, "invalid: a.period_to must not be before period_from"},
		"no day":             {civil.Period{From: "2024-02-30", To: "2024-03-01"}, civil.Period{From: "2024-01-01", To: "2024-03-01"}, noFrom},
		"an end that is old": {civil.Period{To: "1899-12-31"}, civil.Period{To: "2024-01-31"}, noTo},
	} {
		var c fault.Collector
		got := civil.CheckPeriod(&c, "a.", tt.sent, before)
		message := ""
		if err := c.Err(); err != nil {
			message = err.Error()
		}
		if got != tt.want || message != tt.wrong {
			t.Errorf("%s: got %v, %q", name, got, message)
		}
	}
}
