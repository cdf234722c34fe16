package performer

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
)

// jpegQuality is that of a JPEG that is encoded anew: the difference is not seen in print.
const jpegQuality = 92

// printable returns the picture, which is decoded already, in the form that every PDF can have as it is: upright, in grey or in
// colours of 8 bits, and not interlaced. Most are in this form.
func (f pictureFormat) printable(data []byte, decoded image.Image) ([]byte, error) {
	var b bytes.Buffer
	if f.signature == pictureFormats[PNG].signature {
		if isPlainPNG(data) {
			return data, nil
		}
		err := png.Encode(&b, shallow(decoded))
		return b.Bytes(), err
	}
	turned, model := orientation(data), decoded.ColorModel()
	if turned == upright && (model == color.YCbCrModel || model == color.GrayModel) {
		return data, nil
	}
	err := jpeg.Encode(&b, turn(flat(decoded), turned), &jpeg.Options{Quality: jpegQuality})
	return b.Bytes(), err
}

// isPlainPNG reports whether a PNG begins with its header, has at most 8 bits and is not interlaced, without transparent
// colours, empty chunks and a resolution of another length.
func isPlainPNG(data []byte) bool {
	const chunks, first, depth, interlace = 8, 12, 24, 28 // positions
	if len(data) <= interlace || !bytes.HasPrefix(data[first:], []byte("IHDR")) || data[depth] > 8 || data[interlace] != 0 {
		return false
	}
	for at := chunks; at+8 <= len(data); {
		length, kind := int(binary.BigEndian.Uint32(data[at:])), string(data[at+4:at+8])
		switch {
		case kind == "IEND":
			return true
		case length == 0, kind == "tRNS", kind == "pHYs" && length != 9:
			return false
		}
		at += 12 + length
	}
	return false
}

// shallow returns a picture with 8 bits for each colour, and none of a palette that is transparent.
func shallow(m image.Image) image.Image {
	switch m := m.(type) {
	case *image.Gray:
		return m
	case *image.Gray16:
		gray := image.NewGray(m.Bounds())
		draw.Draw(gray, m.Bounds(), m, m.Bounds().Min, draw.Src)
		return gray
	case *image.Paletted:
		if m.Opaque() {
			return m
		}
	}
	return flat(m)
}

func flat(m image.Image) *image.NRGBA {
	bounds := m.Bounds()
	flat := image.NewNRGBA(image.Rect(0, 0, bounds.Dx(), bounds.Dy()))
	draw.Draw(flat, flat.Rect, m, bounds.Min, draw.Src)
	return flat
}

// The orientations of EXIF of which others are composed: from transposed on, rows are columns.
const (
	upright    = 1
	transposed = 5
	lastTurn   = 8
)

// orientation returns how the camera was held, by the EXIF data of a JPEG; upright without them.
func orientation(data []byte) int {
	const app1, scan, fill = 0xe1, 0xda, 0xff
	for at := 2; at+3 < len(data) && data[at] == 0xff; {
		marker, length := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
		switch {
		case marker == fill:
			at++
			continue
		case marker == scan, length < 2, at+2+length > len(data):
			return upright
		}
		if exif, is := bytes.CutPrefix(data[at+4:at+2+length], []byte("Exif\x00\x00")); marker == app1 && is {
			return orientationOf(exif)
		}
		at += 2 + length
	}
	return upright
}

// orientationOf returns the orientation in EXIF data, which are those of a TIFF.
func orientationOf(exif []byte) int {
	const entrySize, tag, valueAt = 12, 0x112, 8
	var order binary.ByteOrder = binary.BigEndian
	if bytes.HasPrefix(exif, []byte("II")) {
		order = binary.LittleEndian
	}
	var header [8]byte // zeros where the data end
	copy(header[:], exif)
	start := int(order.Uint32(header[4:]))
	if start < len(header) || start+1 >= len(exif) {
		return upright
	}
	entries := exif[start+2:]
	for range order.Uint16(exif[start:]) {
		if len(entries) < entrySize {
			return upright
		}
		if order.Uint16(entries) == tag {
			o := int(order.Uint16(entries[valueAt:]))
			if o > lastTurn {
				return upright
			}
			return max(upright, o)
		}
		entries = entries[entrySize:]
	}
	return upright
}

// turn returns a picture that was taken in an orientation as it is looked at.
func turn(m *image.NRGBA, orientation int) *image.NRGBA {
	if orientation == upright {
		return m
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	turned := image.NewNRGBA(image.Rect(0, 0, w, h))
	if orientation >= transposed {
		turned = image.NewNRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			tx, ty := turnedPoint(x, y, w, h, orientation)
			copy(turned.Pix[turned.PixOffset(tx, ty):][:4], m.Pix[m.PixOffset(x, y):])
		}
	}
	return turned
}

// turnedPoint returns where a point of a picture of w x h points is after turn.
func turnedPoint(x, y, w, h, orientation int) (int, int) {
	right, below := w-1-x, h-1-y
	switch orientation {
	case 2:
		return right, y
	case 3:
		return right, below
	case 4:
		return x, below
	case transposed:
		return y, x
	case 6:
		return below, x
	case 7:
		return below, right
	default:
		return y, right
	}
}
