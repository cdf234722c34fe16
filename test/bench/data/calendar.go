package data

import (
	"math/bits"
	"time"
)

// A moment is a fraction of all records, from 0 up to momentCount, and so a point
// in the company's history: equal distances contain equally many records. The
// calendar maps it to a time.
type moment uint64

const momentCount moment = 1 << 48

// Records are created from 8 to 18 o'clock, Monday to Friday.
const (
	opening    = 8 * time.Hour
	workingDay = 10 * time.Hour
)

// The start and the end of the history.
var (
	beginning = time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)
	end       = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
)

// A period is a part of the history; share is the percentage of all records that
// are created in it.
type period struct {
	until time.Time
	share uint64
}

func year(n int) time.Time { return time.Date(n, time.January, 1, 0, 0, 0, 0, time.UTC) }

var periods = []period{{year(2021), 11}, {year(2022), 14}, {year(2023), 16}, {year(2024), 18}, {year(2025), 20}, {end, 21}}

// A calendar maps moments to times.
type calendar []periodDays

// periodDays is the working days of a period.
type periodDays struct {
	until moment
	days  []time.Time
}

func newCalendar() calendar {
	var c calendar
	day, share := beginning, uint64(0)
	for _, s := range periods {
		share += s.share
		next := periodDays{until: momentCount / 100 * moment(share)}
		for ; day.Before(s.until); day = day.AddDate(0, 0, 1) {
			if day.Weekday() != time.Saturday && day.Weekday() != time.Sunday {
				next.days = append(next.days, day)
			}
		}
		c = append(c, next)
	}
	c[len(c)-1].until = momentCount
	return c
}

// at is the time of a moment, to the microsecond. It is monotonic.
func (c calendar) at(m moment) time.Time {
	from, i := moment(0), 0
	for m >= c[i].until {
		from, i = c[i].until, i+1
	}
	length := uint64(c[i].until - from)
	day, rest := proportion(uint64(m-from), uint64(len(c[i].days)), length)
	passed, _ := proportion(rest, uint64(workingDay.Microseconds()), length)
	return c[i].days[day].Add(opening + time.Duration(passed)*time.Microsecond)
}

// proportion is x*y/z, rounded down, and the remainder.
func proportion(x, y, z uint64) (quotient, rest uint64) {
	high, low := bits.Mul64(x, y)
	return bits.Div64(high, low, z)
}

// burst is how many successive records may share an instant.
const burst = 16

// moment is when the n-th of all records of a kind was created. It is monotonic;
// every fourth burst was created at once.
func (b *Company) moment(of kind, n, all uint64) moment {
	first := n - n%burst
	if d := b.random(burstOf+of, first); d.below(4) == 0 {
		n = first
	}
	if n == 0 {
		return 0
	}
	delay := b.random(delayOf+of, n)
	high, low := bits.Mul64(n, uint64(momentCount))
	low, carry := bits.Add64(low, delay.below(uint64(momentCount)), 0)
	m, _ := bits.Div64(high+carry, low, all)
	return moment(m)
}

// createdBy is how many of all records of a kind had certainly been created by
// then, at least one.
func createdBy(by moment, all uint64) uint64 {
	n, _ := proportion(uint64(by), all, uint64(momentCount))
	return max(n, 1)
}

// changes is when a record that was created at a moment was last changed, and
// its version then. About half never were; some were changed together with many
// others.
func changes(d *random, since moment) (last moment, version int64) {
	const rounds = 32
	switch chance := d.below(100); {
	case chance < 50:
		return since, 1
	case chance < 90:
		return since + moment(d.below(uint64(momentCount-since))), 2 + int64(d.below(3))
	default:
		return (since/(momentCount/rounds)+1)*(momentCount/rounds) - 1, 2
	}
}
