package data

import (
	"math/bits"
	"time"
)

// A moment is a place in the company's story, from 0 up to the ending. As much
// is entered between two moments as between any two others that are as far
// apart: they tell how far the story is, and the calendar tells the time.
type moment uint64

const ending moment = 1 << 48

// Records are entered from 8 to 18 o'clock, Monday to Friday.
const (
	opening    = 8 * time.Hour
	workingDay = 10 * time.Hour
)

// BusyMonth is the month in which, in the variant Bunched, about half of all
// records were entered.
var BusyMonth = time.Date(2020, time.June, 1, 0, 0, 0, 0, time.UTC)

// Both ends of the story.
var (
	beginning = time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)
	end       = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
)

// A season is a part of the story; share is how many hundredths of all records
// are entered in it.
type season struct {
	until time.Time
	share uint64
}

func year(n int) time.Time { return time.Date(n, time.January, 1, 0, 0, 0, 0, time.UTC) }

var seasons = map[Variant][]season{
	Spread: {{year(2021), 11}, {year(2022), 14}, {year(2023), 16}, {year(2024), 18}, {year(2025), 20}, {end, 21}},
	Bunched: {
		{BusyMonth, 4}, {BusyMonth.AddDate(0, 1, 0), 51}, {year(2021), 5},
		{year(2022), 8}, {year(2023), 8}, {year(2024), 8}, {year(2025), 8}, {end, 8},
	},
}

// A calendar tells the time of a moment.
type calendar []stretch

// stretch is a season with its working days.
type stretch struct {
	until moment
	days  []time.Time
}

func newCalendar(v Variant) calendar {
	var c calendar
	day, share := beginning, uint64(0)
	for _, s := range seasons[v] {
		share += s.share
		next := stretch{until: ending / 100 * moment(share)}
		for ; day.Before(s.until); day = day.AddDate(0, 0, 1) {
			if day.Weekday() != time.Saturday && day.Weekday() != time.Sunday {
				next.days = append(next.days, day)
			}
		}
		c = append(c, next)
	}
	c[len(c)-1].until = ending
	return c
}

// at is the time of a moment, to the microsecond. A later moment is never an
// earlier time.
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

// proportion is x*y/z, rounded down, and what remains of x*y.
func proportion(x, y, z uint64) (quotient, rest uint64) {
	high, low := bits.Mul64(x, y)
	return bits.Div64(high, low, z)
}

// burst is how many records in a row may share an instant.
const burst = 16

// moment is when the n-th of all records of a kind was entered. Later ones are
// never entered earlier; every fourth burst came in at once.
func (b *Books) moment(of kind, n, all uint64) moment {
	first := n - n%burst
	if d := b.die(burstOf+of, first); d.below(4) == 0 {
		n = first
	}
	if n == 0 {
		return 0
	}
	delay := b.die(delayOf+of, n)
	high, low := bits.Mul64(n, uint64(ending))
	low, carry := bits.Add64(low, delay.below(uint64(ending)), 0)
	m, _ := bits.Div64(high+carry, low, all)
	return moment(m)
}

// entered is how many of all records of a kind had certainly been entered by
// then; the first one always was.
func entered(by moment, all uint64) uint64 {
	n, _ := proportion(uint64(by), all, uint64(ending))
	return max(n, 1)
}

// changes is when a record was last changed that was entered at a moment, and
// its version then. About half never were; some were changed with many others
// at once.
func changes(d *die, since moment) (last moment, version int64) {
	const rounds = 32
	switch chance := d.below(100); {
	case chance < 50:
		return since, 1
	case chance < 90:
		return since + moment(d.below(uint64(ending-since))), 2 + int64(d.below(3))
	default:
		return (since/(ending/rounds)+1)*(ending/rounds) - 1, 2
	}
}
