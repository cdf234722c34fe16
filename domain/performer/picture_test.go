package performer_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/performer"
)

func pngOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// claiming returns the PNG with other dimensions in its header, and a right checksum.
func claiming(data []byte, width, height uint32) []byte {
	header := bytes.Clone(data[16:29])
	binary.BigEndian.PutUint32(header, width)
	binary.BigEndian.PutUint32(header[4:], height)
	return withHeader(data, header)
}

// withHeader returns the PNG with another content of its header.
func withHeader(data, header []byte) []byte {
	return slices.Concat(data[:8], chunk("IHDR", string(header)), data[33:])
}

// chunk returns a chunk of a PNG.
func chunk(kind, content string) []byte {
	c := append(binary.BigEndian.AppendUint32(nil, uint32(len(content))), kind+content...)
	return binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:]))
}

// sized returns the PNG with a text that makes it as many bytes.
func sized(data []byte, size int) []byte {
	return withChunk(data, "tEXt", "Comment\x00"+strings.Repeat("x", size-len(data)-12-8))
}

// withChunk returns the PNG with a chunk after its header.
func withChunk(data []byte, kind, content string) []byte {
	return slices.Concat(data[:33], chunk(kind, content), data[33:])
}

// contract 16.22
func TestPictureIsRejectedWithWhatIsWrong(t *testing.T) {
	small := image.NewGray(image.Rect(0, 0, 40, 30))
	pixel := pngOf(t, image.NewGray(image.Rect(0, 0, 1, 1)))
	fine, photo := pngOf(t, small), jpegOf(t, small)
	damaged := bytes.Clone(fine)
	damaged[len(damaged)-20] ^= 1
	for name, tt := range map[string]struct {
		media string
		data  []byte
		want  string // in the message; "" if it is right
		code  fault.Code
	}{
		"a PNG":                   {performer.PNG, fine, "", ""},
		"a JPEG in grey":          {performer.JPEG, photo, "", ""},
		"a JPEG in colours":       {performer.JPEG, jpegOf(t, image.NewNRGBA(small.Rect)), "", ""},
		"as many pixels":          {performer.PNG, pngOf(t, image.NewGray(image.Rect(0, 0, 2000, 2000))), "", ""},
		"one pixel":               {performer.PNG, pixel, "", ""},
		"as many bytes":           {performer.PNG, sized(fine, performer.MaxPictureBytes), "", ""},
		"nothing":                 {performer.PNG, nil, "is missing", fault.Required},
		"SVG":                     {performer.PNG, []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "is not a PNG", fault.WrongType},
		"a JPEG as PNG":           {performer.PNG, photo, "is not a PNG", fault.WrongType},
		"a PNG as JPEG":           {performer.JPEG, fine, "is not a JPEG", fault.WrongType},
		"a media type":            {"image/gif", fine, "must be a PNG or a JPEG", fault.WrongType},
		"one row too many":        {performer.PNG, pngOf(t, image.NewGray(image.Rect(0, 0, 2000, 2001))), "2000 x 2001 pixels", fault.OutOfRange},
		"too many pixels as JPEG": {performer.JPEG, jpegOf(t, image.NewGray(image.Rect(0, 0, 2000, 2001))), "2000 x 2001 pixels", fault.OutOfRange},
		"a bomb":                  {performer.PNG, claiming(fine, 60_000, 60_000), "60000 x 60000 pixels", fault.OutOfRange},
		"a bigger bomb":           {performer.PNG, claiming(fine, 1<<31-1, 1<<31-1), "dimension overflow", fault.NotValid},
		"too many bytes":          {performer.PNG, sized(fine, performer.MaxPictureBytes+1), "is larger", fault.TooLong},
		"a truncated PNG":         {performer.PNG, fine[:len(fine)/2], "it may be incomplete", fault.NotValid},
		"a PNG without its end":   {performer.PNG, fine[:len(fine)-12], "it may be incomplete", fault.NotValid},
		"a signature":             {performer.PNG, fine[:8], "it may be incomplete", fault.NotValid},
		"a truncated JPEG":        {performer.JPEG, photo[:len(photo)-10], "it may be incomplete", fault.NotValid},
		"a damaged PNG":           {performer.PNG, damaged, "png: invalid format: ", fault.NotValid},
		"less data than claimed":  {performer.PNG, claiming(fine, 40, 60), "", fault.NotValid},
	} {
		p, err := performer.NewPicture(performer.Stamp, tt.media, tt.data)
		if tt.code == "" {
			if err != nil || !bytes.Equal(p.Data, tt.data) || p.Type != tt.media || len(p.SHA256) != 64 {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		f := fault.As(err)
		if f == nil || len(f.Fields) != 1 || f.Fields[0].Name != "stamp_file" || f.Fields[0].CodeOf() != tt.code ||
			!strings.Contains(f.Fields[0].Message, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// scans returns a progressive JPEG whose scans are as many.
func scans(width, height uint16, count int) []byte {
	const dc, ac = "\xff\xc4\x00\x14\x00\x01", "\xff\xc4\x00\x14\x10\x01" // Huffman tables of the one code 0
	data := []byte("\xff\xd8\xff\xdb\x00\x43\x00" + strings.Repeat("\x01", 64) + "\xff\xc2\x00\x0b\x08")
	data = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(data, height), width)
	data = append(data, "\x01\x01\x11\x00"+dc+strings.Repeat("\x00", 16)+ac+strings.Repeat("\x00", 16)...)
	blocks := (int(width) + 7) / 8 * ((int(height) + 7) / 8)
	data = append(data, "\xff\xda\x00\x08\x01\x01\x00\x00\x00\x00"...)
	data = append(data, make([]byte, (blocks+7)/8)...)
	for range count - 1 {
		data = append(data, "\xff\xda\x00\x08\x01\x01\x00\x01\x3f\x00"...)
		data = append(data, make([]byte, (blocks+7)/8)...)
	}
	return append(data, "\xff\xd9"...)
}

// contract 16.22
func TestPictureWithTooManyScansIsNotDecoded(t *testing.T) {
	if _, err := performer.NewPicture(performer.Logo, performer.JPEG, scans(16, 16, 100)); err != nil {
		t.Errorf("100 scans: %v", err)
	}
	for name, data := range map[string][]byte{"101 scans": scans(16, 16, 101), "no rows": scans(16, 0, 1), "no columns": scans(0, 16, 1)} {
		_, err := performer.NewPicture(performer.Logo, performer.JPEG, data)
		if f := fault.As(err); f == nil || len(f.Fields) != 1 || f.Fields[0].CodeOf() != fault.OutOfRange {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// turnedJPEG returns a JPEG of 32 x 16 pixels, of which the left half is black and the right one white, with EXIF data that say how the
// camera was held.
func turnedJPEG(t *testing.T, order binary.AppendByteOrder, mark string, orientation uint16) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 32, 16))
	for i := range m.Pix {
		if i%32 >= 16 {
			m.Pix[i] = 255
		}
	}
	exif := order.AppendUint32(order.AppendUint16([]byte("Exif\x00\x00"+mark), 42), 8)
	exif = order.AppendUint16(order.AppendUint16(exif, 1), 0x112)
	exif = order.AppendUint16(order.AppendUint32(order.AppendUint16(exif, 3), 1), orientation)
	exif = append(exif, 0, 0, 0, 0, 0, 0)
	plain := jpegOf(t, m)
	head := binary.BigEndian.AppendUint16([]byte("\xff\xd8\xff\xe1"), uint16(len(exif)+2))
	return append(append(head, exif...), plain[2:]...)
}

// contract 16.22
func TestPictureIsStoredUpright(t *testing.T) {
	for orientation, want := range map[uint16]struct{ width, blackX, blackY, whiteX, whiteY int }{
		1: {32, 2, 2, 30, 2}, 2: {32, 30, 2, 2, 2}, 3: {32, 30, 14, 2, 14}, 4: {32, 2, 14, 30, 14},
		5: {16, 2, 2, 2, 30}, 6: {16, 14, 2, 14, 30}, 7: {16, 14, 30, 14, 2}, 8: {16, 2, 30, 2, 2}, 9: {32, 2, 2, 30, 2},
	} {
		for mark, order := range map[string]binary.AppendByteOrder{"II": binary.LittleEndian, "MM": binary.BigEndian} {
			p, err := performer.NewPicture(performer.Logo, performer.JPEG, turnedJPEG(t, order, mark, orientation))
			if err != nil {
				t.Fatal(err)
			}
			m, err := jpeg.Decode(bytes.NewReader(p.Data))
			if err != nil {
				t.Fatal(err)
			}
			black, _, _, _ := m.At(want.blackX, want.blackY).RGBA()
			white, _, _, _ := m.At(want.whiteX, want.whiteY).RGBA()
			if m.Bounds().Dx() != want.width || black > 0x2000 || white < 0xe000 {
				t.Errorf("%s, orientation %d: %v, black is %x and white is %x", mark, orientation, m.Bounds(), black, white)
			}
		}
	}
}

// contract 16.22
func TestPictureIsStoredWithEightBits(t *testing.T) {
	bounds := image.Rect(0, 0, 9, 7)
	deep := image.NewNRGBA64(bounds)
	for i := range 63 {
		deep.Set(i%9, i/9, color.NRGBA64{0x1234, 0x5678, uint16(i * 1000), uint16(0x8000 + i*500)})
	}
	for name, m := range map[string]image.Image{
		"colours of 16 bits": deep, "grey of 16 bits": image.NewGray16(bounds),
		"a transparent palette": image.NewPaletted(bounds, color.Palette{color.Transparent, color.White}),
	} {
		p, err := performer.NewPicture(performer.Logo, performer.PNG, pngOf(t, m))
		if err != nil {
			t.Fatal(err)
		}
		const depth = 24
		if p.Data[depth] != 8 || bytes.Contains(p.Data, []byte("tRNS")) {
			t.Errorf("%s: %d bits", name, p.Data[depth])
		}
		stored, err := png.Decode(bytes.NewReader(p.Data))
		if err != nil {
			t.Fatal(err)
		}
		got, want := color.NRGBAModel.Convert(stored.At(4, 3)), color.NRGBAModel.Convert(m.At(4, 3))
		if stored.Bounds() != bounds || got != want {
			t.Errorf("%s: a pixel of %v is %v, want %v", name, stored.Bounds(), got, want)
		}
		if again, err := performer.NewPicture(performer.Logo, performer.PNG, p.Data); err != nil || again.SHA256 != p.SHA256 {
			t.Errorf("%s: the stored form is changed again: %v", name, err)
		}
	}
}

// contract 16.22
func TestPictureWithTooManyPixelsIsNotDecoded(t *testing.T) {
	data := pngOf(t, image.NewGray(image.Rect(0, 0, 2_100, 2_100)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := performer.NewPicture(performer.Logo, performer.PNG, data)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; !fault.Is(err, fault.Invalid) || used > 1<<20 {
		t.Errorf("%v, with %d bytes allocated", err, used)
	}
}
