// Package fuzzseed gives fuzz targets their seeds: the cases that somebody thought of,
// and a few hundred that chance makes of them, others in each run. A short run of
// every target is so a part of the tests, without anything beside the target.
package fuzzseed

import (
	"math/rand/v2"
	"testing"
)

// perTarget is how many seeds are made by chance.
const perTarget = 300

// Add adds the cases to the target, each of which has the values that the target
// takes, and seeds that are made of them.
func Add(f *testing.F, cases ...[]any) {
	f.Helper()
	for _, values := range cases {
		f.Add(values...)
	}
	for range perTarget {
		f.Add(cross(cases)...)
	}
}

// Texts is Add for a target of one text.
func Texts(f *testing.F, texts ...string) {
	f.Helper()
	cases := make([][]any, len(texts))
	for i, text := range texts {
		cases[i] = []any{text}
	}
	Add(f, cases...)
}

// cross takes each value from a case of its own or, half of the time, from the
// same, and changes some.
func cross(cases [][]any) []any {
	made := append([]any(nil), pick(cases)...)
	mixes := rand.IntN(2) == 0
	for i := range made {
		if mixes {
			made[i] = pick(cases)[i]
		}
		if rand.IntN(3) > 0 {
			made[i] = changed(made[i], pick(cases)[i])
		}
	}
	return made
}

func changed(value, other any) any {
	switch v := value.(type) {
	case string:
		return string(spoiled([]byte(v), []byte(other.(string))))
	case []byte:
		return spoiled(v, other.([]byte))
	case bool:
		return !v
	case int64:
		return pick([]int64{v + 1, v - 1, -v, v * 2, rand.Int64()})
	}
	panic("no value of this type can be changed")
}

// spoiled is the text with up to three changes: an octet flipped, a part left out,
// a part said twice, or a part of another text put in.
func spoiled(text, other []byte) []byte {
	text = append([]byte(nil), text...)
	for range 1 + rand.IntN(3) {
		low, high := part(text)
		switch rand.IntN(4) {
		case 0:
			if low < len(text) {
				text[low] ^= 1 << rand.IntN(8)
			}
		case 1:
			text = append(text[:low:low], text[high:]...)
		case 2:
			text = append(text[:high:high], text[low:]...)
		case 3:
			from, to := part(other)
			text = append(append(text[:low:low], other[from:to]...), text[low:]...)
		}
	}
	return text
}

// part is the bounds of a part of the text, mostly a short one.
func part(text []byte) (low, high int) {
	low = rand.IntN(len(text) + 1)
	return low, low + rand.IntN(1+min(len(text)-low, 8))
}

func pick[T any](from []T) T { return from[rand.IntN(len(from))] }
