// Package fuzzseed seeds fuzz targets: with the given cases and some hundred random
// variations, different in each run. So every test run is a short fuzz run.
package fuzzseed

import (
	"math/rand/v2"
	"testing"
)

// perTarget is the number of random seeds.
const perTarget = 300

// Add adds the cases, each with the arguments of the target, and random variations.
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

// cross combines the values of one or several cases at random and changes some.
func cross(cases [][]any) []any {
	seed := append([]any(nil), pick(cases)...)
	mixed := rand.IntN(2) == 0
	for i := range seed {
		if mixed {
			seed[i] = pick(cases)[i]
		}
		if rand.IntN(3) > 0 {
			seed[i] = changed(seed[i], pick(cases)[i])
		}
	}
	return seed
}

func changed(value, other any) any {
	switch v := value.(type) {
	case string:
		return string(mutated([]byte(v), []byte(other.(string))))
	case []byte:
		return mutated(v, other.([]byte))
	case bool:
		return !v
	case int64:
		return pick([]int64{v + 1, v - 1, -v, v * 2, rand.Int64()})
	}
	panic("unsupported type of value")
}

// mutated returns the text with up to three changes: an octet flipped, a part
// removed, a part repeated, or a part of another text inserted.
func mutated(text, other []byte) []byte {
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

// part returns the bounds of a part of the text, mostly a short one.
func part(text []byte) (low, high int) {
	low = rand.IntN(len(text) + 1)
	return low, low + rand.IntN(1+min(len(text)-low, 8))
}

func pick[T any](from []T) T { return from[rand.IntN(len(from))] }
