package einvoice

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"regexp"
	"strconv"
	"testing"

	"github.com/kontor-crm/kontor/adapters/documents"
	"github.com/kontor-crm/kontor/adapters/documents/paper"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/test/fixture"
)

func printed(t testing.TB, d billing.Document, f billing.Form, p paper.Pictures) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := documents.Write(context.Background(), &out, d, f, p); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// picturesOf returns pictures of all kinds that are accepted, in turns: gray, transparent, with a palette, and photos.
func picturesOf(t testing.TB, seed int) paper.Pictures {
	t.Helper()
	box := image.Rect(0, 0, 40+seed, 20)
	gray, glass, palette := image.NewGray(box), image.NewNRGBA(box), image.NewPaletted(box, color.Palette{color.Transparent, color.Black, color.White})
	for i := range box.Dx() * box.Dy() {
		x, y := i%box.Dx(), i/box.Dx()
		gray.SetGray(x, y, color.Gray{uint8(i)})
		glass.SetNRGBA(x, y, color.NRGBA{uint8(i), 80, 160, uint8(x)})
		palette.SetColorIndex(x, y, uint8(i%3))
	}
	encoded := func(m image.Image, isPhoto bool) []byte {
		var b bytes.Buffer
		if isPhoto {
			fixture.Must(0, jpeg.Encode(&b, m, nil))
		} else {
			fixture.Must(0, png.Encode(&b, m))
		}
		return fixture.Must(performer.NewPicture(performer.Logo, http.DetectContentType(b.Bytes()), b.Bytes())).Data
	}
	all := [][]byte{encoded(gray, false), encoded(glass, false), encoded(palette, false), encoded(gray, true), encoded(glass, true)}
	at := func(i int) []byte { return all[(seed+i)%len(all)] }
	return paper.Pictures{Logo: at(0), Stamp: at(1), LeaderSignature: at(2)}
}

// embedded returns the invoice in a hybrid one.
func embedded(t testing.TB, hybrid []byte) []byte {
	t.Helper()
	_, file, _ := bytes.Cut(hybrid, []byte("/Type /EmbeddedFile"))
	_, file, _ = bytes.Cut(file, []byte("stream\n"))
	file, _, found := bytes.Cut(file, []byte("\nendstream"))
	if !found {
		t.Fatal("no file is embedded")
	}
	return file
}

// contract 16.81
func TestFacturXIsThePDFWithTheInvoiceInIt(t *testing.T) {
	for seed := range 5 {
		d, pictures := billing.New(Sample(uint64(seed), 0)), picturesOf(t, seed)
		hybrid := printed(t, d, billing.FacturX, pictures)
		if !bytes.HasPrefix(hybrid, printed(t, d, billing.PDF, pictures)) {
			t.Error("it is not the PDF")
		}
		if !bytes.Equal(embedded(t, hybrid), written(t, d, billing.CII)) {
			t.Error("the invoice in it is not that of cii")
		}
		if !bytes.Equal(hybrid, printed(t, d, billing.FacturX, pictures)) {
			t.Error("it is another one each time")
		}
		for number, offset := range offsets(t, hybrid) {
			if want := fmt.Sprintf("%d 0 obj\n", number); !bytes.HasPrefix(hybrid[offset:], []byte(want)) {
				t.Errorf("object %d is not at %d", number, offset)
			}
		}
	}
}

var (
	start   = regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`)
	section = regexp.MustCompile(`(?m)^(\d+) (\d+)\n((?:\d{10} 00000 n \n)+)`)
)

// offsets returns the offsets of the objects that the last table of a PDF has, by their numbers.
func offsets(t testing.TB, pdf []byte) map[int]int {
	t.Helper()
	last := start.FindSubmatch(pdf)
	if last == nil {
		t.Fatal("the PDF has no end")
	}
	all := map[int]int{}
	for _, s := range section.FindAllSubmatch(pdf[fixture.Must(strconv.Atoi(string(last[1]))):], -1) {
		first, count := fixture.Must(strconv.Atoi(string(s[1]))), fixture.Must(strconv.Atoi(string(s[2])))
		for i := range count {
			all[first+i] = fixture.Must(strconv.Atoi(string(s[3][20*i : 20*i+10])))
		}
	}
	if len(all) != 5 {
		t.Fatalf("the table has %d objects, want 5", len(all))
	}
	return all
}
