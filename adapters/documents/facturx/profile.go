package facturx

import (
	"bytes"
	"encoding/binary"
)

// sRGB returns a color profile (ICC.1:2001-04) of a display: the primaries of sRGB, adapted to the white point D50, and a gamma of
// 2.2 in place of the curve of sRGB, which would take more bytes than a viewer could show.
func sRGB() []byte {
	white := [3]float64{0.9642, 1, 0.8249}
	curve := []byte("curv\x00\x00\x00\x00\x00\x00\x00\x01\x02\x33\x00\x00") // one value: 2.2
	tags := []struct {
		name string
		data []byte
	}{
		{"desc", append([]byte("desc\x00\x00\x00\x00\x00\x00\x00\x05sRGB\x00"), make([]byte, 79)...)}, // without other alphabets
		{"cprt", []byte("text\x00\x00\x00\x00CC0\x00")},
		{"wtpt", xyz(white)},
		{"rXYZ", xyz([3]float64{0.4361, 0.2225, 0.0139})},
		{"gXYZ", xyz([3]float64{0.3851, 0.7169, 0.0971})},
		{"bXYZ", xyz([3]float64{0.1431, 0.0606, 0.7141})},
		{"rTRC", curve},
		{"gTRC", curve},
		{"bTRC", curve},
	}
	const head, entry = 128, 12
	table := number(len(tags))
	var data []byte
	for _, t := range tags {
		start := head + len(number(0)) + entry*len(tags) + len(data)
		table = joined(table, []byte(t.name), number(start), number(len(t.data)))
		data = joined(data, t.data, make([]byte, (4-len(t.data)%4)%4))
	}
	profile := make([]byte, head)
	copy(profile, number(head+len(table)+len(data)))
	copy(profile[8:], "\x02\x10\x00\x00mntrRGB XYZ \x07\xd0\x00\x01\x00\x01\x00\x00\x00\x00\x00\x00acsp") // version 2.1, of 2000-01-01
	copy(profile[68:], xyz(white)[8:])
	return joined(profile, table, data)
}

func joined(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func number(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

// xyz is a tag with a color, in fixed-point numbers of 16 bits each.
func xyz(color [3]float64) []byte {
	tag := []byte("XYZ \x00\x00\x00\x00")
	for _, v := range color {
		tag = append(tag, number(int(v*(1<<16)))...)
	}
	return tag
}
