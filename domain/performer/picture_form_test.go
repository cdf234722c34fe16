package performer_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/performer"
)

// contract 16.22
func TestPNGIsStoredAsItIsIfEveryDocumentCanHaveIt(t *testing.T) {
	pixel := pngOf(t, image.NewGray(image.Rect(0, 0, 1, 1)))
	interlaced := bytes.Clone(pixel[16:29])
	interlaced[12] = 1
	for name, tt := range map[string]struct {
		data []byte
		asIs bool
	}{
		"a text":                          {withChunk(pixel, "tEXt", "Title\x00Logo"), true},
		"a resolution":                    {withChunk(pixel, "pHYs", "\x00\x00\x0b\x13\x00\x00\x0b\x13\x01"), true},
		"bytes after its end":             {append(bytes.Clone(pixel), "more"...), true},
		"a resolution of another length":  {withChunk(pixel, "pHYs", "\x00\x00\x0b\x13\x00\x00\x0b\x13"), false},
		"an empty chunk":                  {withChunk(pixel, "tEXt", ""), false},
		"a transparent colour":            {withChunk(pixel, "tRNS", "\x00\x01"), false},
		"another chunk before its header": {slices.Concat(pixel[:8], chunk("prVt", strings.Repeat("\x00", 13)), pixel[8:]), false},
		"interlaced rows":                 {withHeader(pixel, interlaced), false},
	} {
		p, err := performer.NewPicture(performer.Logo, performer.PNG, tt.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := bytes.Equal(p.Data, tt.data); got != tt.asIs {
			t.Errorf("%s: it is stored as it is: %t", name, got)
		}
		if !performer.IsPlainPNG(p.Data) {
			t.Errorf("%s: the stored form is encoded anew again", name)
		}
		if m, err := png.Decode(bytes.NewReader(p.Data)); err != nil || m.Bounds() != image.Rect(0, 0, 1, 1) {
			t.Errorf("%s: the stored form is %v, %v", name, m, err)
		}
	}
}

func TestPNGThatIsCutOffIsNotPlain(t *testing.T) {
	data := pngOf(t, image.NewGray(image.Rect(0, 0, 1, 1)))
	plain := len(data) - len("sums") // the checksum of the last chunk, which is not looked at
	for length := range data {
		if got := performer.IsPlainPNG(data[:length]); got != (length >= plain) {
			t.Errorf("%d of %d bytes are plain: %t", length, len(data), got)
		}
	}
}

// contract 16.22
func TestOrientationIsThatOfTheFirstEXIFData(t *testing.T) {
	turned := exif(1, entry(0x112, 6))
	app1 := segment(0xe1, turned)
	for name, tt := range map[string]struct {
		segments string
		want     int
	}{
		"EXIF":                        {app1, 6},
		"EXIF of another orientation": {app1 + segment(0xe1, exif(1, entry(0x112, 3))), 6},
		"EXIF after another segment":  {segment(0xe0, "JFIF\x00\x01\x02") + app1, 6},
		"EXIF after an empty segment": {segment(0xfe, "") + app1, 6},
		"EXIF after XMP":              {segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00") + app1, 6},
		"EXIF after fill bytes":       {"\xff\xff" + app1, 6},
		"EXIF after a stray byte":     {"\x00" + app1, 1},
		"EXIF after a scan":           {segment(0xda, "") + app1, 1},
		"EXIF in another segment":     {segment(0xe2, turned), 1},
		"EXIF with a length too low":  {"\xff\xe1\x00\x01" + turned, 1},
		"EXIF that is cut off":        {app1[:len(app1)-1], 1},
		"a length that is cut off":    {app1[:3], 1},
		"a marker":                    {app1[:2], 1},
		"nothing":                     {"", 1},
	} {
		if got := performer.Orientation([]byte("\xff\xd8" + tt.segments)); got != tt.want {
			t.Errorf("%s: got %d, want %d", name, got, tt.want)
		}
	}
}

// contract 16.22
func TestOrientationIsAnEntryOfEXIFData(t *testing.T) {
	const header = "Exif\x00\x00MM\x00*\x00\x00\x00" // without the last byte of the position of the entries
	turned, other := entry(0x112, 6), entry(0x10f, 1)
	for name, tt := range map[string]struct {
		exif string
		want int
	}{
		"the first orientation":        {exif(1, entry(0x112, 1)), 1},
		"the last orientation":         {exif(1, entry(0x112, 8)), 8},
		"an orientation too low":       {exif(1, entry(0x112, 0)), 1},
		"an orientation too high":      {exif(1, entry(0x112, 9)), 1},
		"no entries":                   {exif(0, turned), 1},
		"another entry":                {exif(1, other), 1},
		"two entries":                  {exif(2, other+turned), 6},
		"two orientations":             {exif(2, entry(0x112, 9)+turned), 1},
		"an entry that is not counted": {exif(1, other+turned), 1},
		"an entry that is missing":     {exif(2, other), 1},
		"an entry that is cut off":     {exif(1, turned[:11]), 1},
		"a count that is cut off":      {header + "\x08\x00", 1},
		"a count that is missing":      {header + "\x08", 1},
		"a position that is cut off":   {header, 1},
		"a position in the header":     {header + "\x07\x00\x01" + turned, 1},
		"a position after other bytes": {header + "\x0a??\x00\x01" + turned, 6},
		"a position after the end":     {header + "\x80\x00\x01" + turned, 1},
		"the low byte of each number first": {
			"Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00" + "\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00", 6,
		},
	} {
		if got := performer.Orientation([]byte("\xff\xd8" + segment(0xe1, tt.exif))); got != tt.want {
			t.Errorf("%s: got %d, want %d", name, got, tt.want)
		}
	}
}

// segment returns a segment of a JPEG.
func segment(marker byte, content string) string {
	return string(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(2+len(content)))) + content
}

// exif returns EXIF data that state the count of their entries.
func exif(count uint16, entries string) string {
	return "Exif\x00\x00MM\x00*\x00\x00\x00\x08" + string(binary.BigEndian.AppendUint16(nil, count)) + entries
}

// entry returns an entry of EXIF data: a tag, and one number of two bytes.
func entry(tag, value uint16) string {
	e := append(binary.BigEndian.AppendUint16(nil, tag), 0, 3, 0, 0, 0, 1)
	return string(append(binary.BigEndian.AppendUint16(e, value), 0, 0))
}
