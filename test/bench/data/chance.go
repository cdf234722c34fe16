package data

import (
	"math"
	"math/bits"
)

// A die gives the chances of one record, always the same ones in the same order.
type die uint64

// golden is what a die steps by, an odd number without a pattern.
const golden = 0x9e3779b97f4a7c15

// scramble makes numbers that lie close together differ in about half of their
// bits. No two give the same.
func scramble(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// dieOf is the die of the n-th record of a kind.
func dieOf(seed uint64, of kind, n uint64) die {
	return die(scramble(scramble(seed+golden) + scramble(uint64(of)+golden) + n*golden))
}

func (d *die) next() uint64 {
	*d += golden
	return scramble(uint64(*d))
}

// below is a number from 0 to n-1.
func (d *die) below(n uint64) uint64 {
	high, _ := bits.Mul64(d.next(), n)
	return high
}

// percent is true in p of 100 cases.
func (d *die) percent(p uint64) bool { return d.below(100) < p }

// pick is one of a list.
func pick[T any](d *die, list []T) T { return list[d.below(uint64(len(list)))] }

// skewed is a number from 0 to n-1, small ones more often: 0 has the share
// n^(-1/steepness) of all cases. The steepness counts in parts of 64.
func (d *die) skewed(n uint64, steepness int) uint64 {
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

// Steepnesses that are no matter of size.
const (
	gentle = 96  // the exponent 1.5
	steep  = 160 // 2.5
	abrupt = 192 // 3
)

// biggestShare is the part of all deals that the biggest client has.
const biggestShare = 0.00372

// steepnessFor is the steepness that gives the first of n about this share, and
// never less than a gentle one.
func steepnessFor(n uint64, share float64) int {
	steepness := gentle
	for power(share, steepness+1)*float64(n) >= 1 {
		steepness++
	}
	return steepness
}

// A scatter puts the numbers below n in an order without a pattern.
type scatter struct {
	n    uint64
	half int // bits of each half of a number
	seed uint64
}

func newScatter(n, seed uint64) scatter {
	return scatter{n: n, half: (bits.Len64(n) + 1) / 2, seed: seed}
}

// at is the number at a place. It mixes the halves of the place with each other,
// which can be undone and so never meets, until the result is below n.
func (s scatter) at(place uint64) uint64 {
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
