package performer_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"runtime"
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
	changed := bytes.Clone(data)
	binary.BigEndian.PutUint32(changed[16:], width)
	binary.BigEndian.PutUint32(changed[20:], height)
	binary.BigEndian.PutUint32(changed[29:], crc32.ChecksumIEEE(changed[12:29]))
	return changed
}

// contract 16.22
func TestPictureIsRejectedWithWhatIsWrong(t *testing.T) {
	small := image.NewGray(image.Rect(0, 0, 40, 30))
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
		"a JPEG":                  {performer.JPEG, photo, "", ""},
		"as many pixels":          {performer.PNG, pngOf(t, image.NewGray(image.Rect(0, 0, 2000, 2000))), "", ""},
		"nothing":                 {performer.PNG, nil, "is missing", fault.Required},
		"SVG":                     {performer.PNG, []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "is not a PNG", fault.WrongType},
		"a JPEG as PNG":           {performer.PNG, photo, "is not a PNG", fault.WrongType},
		"a PNG as JPEG":           {performer.JPEG, fine, "is not a JPEG", fault.WrongType},
		"a media type":            {"image/gif", fine, "must be a PNG or a JPEG", fault.WrongType},
		"one row too many":        {performer.PNG, pngOf(t, image.NewGray(image.Rect(0, 0, 2000, 2001))), "2000 x 2001 pixels", fault.OutOfRange},
		"too many pixels as JPEG": {performer.JPEG, jpegOf(t, image.NewGray(image.Rect(0, 0, 2000, 2001))), "2000 x 2001 pixels", fault.OutOfRange},
		"a bomb":                  {performer.PNG, claiming(fine, 60_000, 60_000), "60000 x 60000 pixels", fault.OutOfRange},
		"a bigger bomb":           {performer.PNG, claiming(fine, 1<<31-1, 1<<31-1), "dimension overflow", fault.NotValid},
		"too many bytes":          {performer.PNG, append(bytes.Clone(fine), make([]byte, performer.MaxPictureBytes)...), "is larger", fault.TooLong},
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
