package data

import (
	"math"
	"math/bits"
)

// random is the random numbers of one record, always the same ones in the same
// order.
type random uint64

// golden is the increment of the state, an odd number without a pattern.
const golden = 0x9e3779b97f4a7c15

// scramble is a bijective hash: numbers that are close together differ in about
// half of their bits.
func scramble(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// randomOf is the random numbers of the n-th record of a kind.
func randomOf(seed uint64, of kind, n uint64) random {
	return random(scramble(scramble(seed+golden) + scramble(uint64(of)+golden) + n*golden))
}

func (d *random) next() uint64 {
	*d += golden
	return scramble(uint64(*d))
}

// below is a number from 0 to n-1.
func (d *random) below(n uint64) uint64 {
	high, _ := bits.Mul64(d.next(), n)
	return high
}

// percent is true in p of 100 cases.
func (d *random) percent(p uint64) bool { return d.below(100) < p }

// pick is one of a list.
func pick[T any](d *random, list []T) T { return list[d.below(uint64(len(list)))] }

// skewed is a number from 0 to n-1, small ones more often: 0 has the share
// n^(-1/steepness) of all cases. The steepness is in units of 1/64.
func (d *random) skewed(n uint64, steepness int) uint64 {
	x := float64(d.next()>>11) / (1 << 53)
	return min(uint64(float64(n)*power(x, steepness)), n-1)
}

// power is x to the power of n/64.
func power(x float64, n int) float64 {
	y := 1.0
	for range n / 64 {
		y *= x
	}
	for part := 32; part > 0; part /= 2 {
		x = math.Sqrt(x)
		if n&part != 0 {
			y *= x
		}
	}
	return y
}

// Steepnesses that do not depend on the size.
const (
	gentle = 96  // the exponent 1.5
	steep  = 160 // 2.5
	abrupt = 192 // 3
)

// biggestShare is the share of all deals that the biggest client has.
const biggestShare = 0.00372

// steepnessFor is the steepness that gives the first of n about this share, at
// least gentle.
func steepnessFor(n uint64, share float64) int {
	steepness := gentle
	for power(share, steepness+1)*float64(n) >= 1 {
		steepness++
	}
	return steepness
}

// A permutation is a pseudorandom order of the numbers below n.
type permutation struct {
	n    uint64
	half int // bits of each half of a number
	seed uint64
}

func newPermutation(n, seed uint64) permutation {
	return permutation{n: n, half: (bits.Len64(n) + 1) / 2, seed: seed}
}

// at is the number at a place: a Feistel network, which is a bijection, applied
// until the result is below n.
func (s permutation) at(place uint64) uint64 {
	mask := uint64(1)<<s.half - 1
	for {
		left, right := place>>s.half, place&mask
		for round := range uint64(4) {
			left, right = right, left^scramble(right+s.seed+round*golden)&mask
		}
		if place = left<<s.half | right; place < s.n {
			return place
		}
	}
}
