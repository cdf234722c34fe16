package performer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/jpeg"
	"image/png"
	"io"

	"github.com/kontor-crm/kontor/domain/fault"
)

// PictureKind is the kind of a performer's picture, in the words of the API. A performer has at most one of each kind.
type PictureKind string

// The kinds.
const (
	Logo            PictureKind = "logo"
	Stamp           PictureKind = "stamp_file"
	LeaderSignature PictureKind = "leader_sig_file"
	BookerSignature PictureKind = "booker_sig_file"
)

// PictureKinds are all kinds.
var PictureKinds = []PictureKind{Logo, Stamp, LeaderSignature, BookerSignature}

// Limits of a picture.
const (
	MaxPictureBytes  = 512 << 10
	MaxPicturePixels = 4_000_000
	// MaxPictureScans is how many scans a progressive JPEG may have: decoding takes time for each of them. Usual are ten.
	MaxPictureScans = 100
)

// The media types of pictures.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
)

// PictureTypes are all media types of pictures.
var PictureTypes = []string{PNG, JPEG}

// Picture is a PNG or JPEG that can be decoded, and be part of a PDF as it is. A performer's documents are printed with its pictures.
type Picture struct {
	Type   string // the media type
	SHA256 string // of Data, in hexadecimal digits
	Data   []byte
}

// pictureFormat is how pictures of a media type are recognized and decoded.
type pictureFormat struct {
	name, signature string
	scan            string // the marker of a scan; "" if there are none
	dimensions      func(r io.Reader) (image.Config, error)
	decode          func(r io.Reader) (image.Image, error)
}

var pictureFormats = map[string]pictureFormat{
	PNG:  {"PNG", "\x89PNG\r\n\x1a\n", "", png.DecodeConfig, png.Decode},
	JPEG: {"JPEG", "\xff\xd8\xff", "\xff\xda", jpeg.DecodeConfig, jpeg.Decode},
}

// NewPicture returns the picture in the data, which must not change afterwards, in the form in which documents are printed with
// it. The error has the kind as its field. A picture with too many pixels or scans is not decoded.
func NewPicture(kind PictureKind, mediaType string, data []byte) (Picture, error) {
	var c fault.Collector
	f, isKnown := pictureFormats[mediaType]
	switch {
	case len(data) == 0:
		c.Coded(fault.Required, string(kind), "is missing: the body is the picture")
	case len(data) > MaxPictureBytes:
		c.Coded(fault.TooLong, string(kind), "is larger than %d bytes", MaxPictureBytes)
	case !isKnown:
		c.Coded(fault.WrongType, string(kind), "must be a PNG or a JPEG")
	case !bytes.HasPrefix(data, []byte(f.signature)):
		c.Coded(fault.WrongType, string(kind), "is not a %s, contrary to its content type", f.name)
	default:
		data = f.read(&c, string(kind), data)
	}
	if err := c.Err(); err != nil {
		return Picture{}, err
	}
	sum := sha256.Sum256(data)
	return Picture{Type: mediaType, SHA256: hex.EncodeToString(sum[:]), Data: data}, nil
}

// read decodes a picture, first only its dimensions, and returns its printable form.
func (f pictureFormat) read(c *fault.Collector, field string, data []byte) []byte {
	config, err := f.dimensions(bytes.NewReader(data))
	switch {
	case err != nil:
		c.Add(field, "cannot be decoded, it may be incomplete: %s", err)
		return nil
	case config.Width < 1 || config.Height < 1:
		c.Coded(fault.OutOfRange, field, "has no pixels")
		return nil
	case config.Width*config.Height > MaxPicturePixels:
		c.Coded(fault.OutOfRange, field, "has %d x %d pixels: %d are the maximum", config.Width, config.Height, MaxPicturePixels)
		return nil
	case f.scan != "" && bytes.Count(data, []byte(f.scan)) > MaxPictureScans:
		c.Coded(fault.OutOfRange, field, "has more than %d scans: save it again", MaxPictureScans)
		return nil
	}
	decoded, err := f.decode(bytes.NewReader(data))
	if err != nil {
		c.Add(field, "cannot be decoded, it may be incomplete: %s", err)
		return nil
	}
	printable, err := f.printable(data, decoded)
	switch {
	case err != nil:
		c.Add(field, "cannot be encoded for documents: %s", err)
	case len(printable) > MaxPictureBytes:
		c.Coded(fault.TooLong, field, "is larger than %d bytes as a %s for documents: upright, with 8 bits and not interlaced",
			MaxPictureBytes, f.name)
	}
	return printable
}
