package api_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/performer"
)

// painted returns a PNG of 4 x 2 pixels in one colour.
func painted(gray uint8) picture {
	var b bytes.Buffer
	_ = png.Encode(&b, uniform(gray)) // into memory: cannot fail
	return b.Bytes()
}

// photo returns a JPEG of 4 x 2 pixels in one colour.
func photo(gray uint8) picture {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, uniform(gray), nil)
	return b.Bytes()
}

func uniform(gray uint8) image.Image {
	m := image.NewGray(image.Rect(0, 0, 4, 2))
	for i := range m.Pix {
		m.Pix[i] = color.Gray{Y: gray}.Y
	}
	return m
}

// contract 16.18, 16.19, 16.20
func TestPictureIsReturnedAsItWasStored(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	admin, viewer := s.as("admin"), s.as("viewer")
	before := viewer.get("/rest/performer/1").body
	for i, kind := range performer.PictureKinds {
		path := "/rest/performer/1/file/" + string(kind)
		viewer.get(path).rejected(http.StatusNotFound)
		body, media, name := painted(uint8(i)), "image/png", string(kind)+".png"
		if kind == performer.Stamp {
			body, media, name = photo(7), "image/jpeg", string(kind)+".jpeg"
		}
		stored := admin.put(path, body).wants(http.StatusOK)
		if r := stored.record(); text(r["id"]) != "1" || r["content_type"] != media || text(r["size"]) != text(len(body)) || len(text(r["sha256"])) != 64 {
			t.Errorf("%s is described as %v", kind, r)
		}
		read := viewer.get(path).wants(http.StatusOK)
		h := read.header
		if read.body != string(body) || h.Get("Content-Type") != media || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Content-Disposition") != `inline; filename="`+name+`"` {
			t.Errorf("%s is returned with %v: %q", kind, h, read.body)
		}
		if again := viewer.with("If-None-Match", h.Get("ETag")).get(path).wants(http.StatusNotModified); again.body != "" {
			t.Errorf("a 304 has the body %q", again.body)
		}
	}
	if after := viewer.get("/rest/performer/1").body; after != before {
		t.Errorf("the performer is\n%s\nand was\n%s", after, before)
	}
	admin.delete("/rest/performer/1/file/logo").wants(http.StatusOK)
	viewer.get("/rest/performer/1/file/logo").rejected(http.StatusNotFound)
	admin.delete("/rest/performer/1/file/logo").rejected(http.StatusNotFound)
	viewer.get("/rest/performer/1/file/stamp_file").wants(http.StatusOK)
	viewer.get("/rest/performer/1/file/portrait").rejected(http.StatusNotFound)
	admin.put("/rest/performer/77/file/logo", painted(1)).rejected(http.StatusNotFound)
}

// contract 16.20, 4.53
func TestPictureVersionsAreCompared(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	admin, path := s.as("admin"), "/rest/performer/1/file/logo"
	admin.with("If-Match", `"1-0"`).put(path, painted(1)).rejected(http.StatusPreconditionFailed)
	first := admin.with("If-None-Match", "*").put(path, painted(1)).wants(http.StatusOK).header.Get("ETag")
	admin.with("If-None-Match", "*").put(path, painted(2)).rejected(http.StatusPreconditionFailed)
	if same := admin.put(path, painted(1)).wants(http.StatusOK).header.Get("ETag"); same != first {
		t.Errorf("the same picture has the tag %s, and had %s", same, first)
	}
	admin.with("If-Match", first).put(path, painted(2)).wants(http.StatusOK)
	admin.with("If-Match", first).put(path, painted(3)).rejected(http.StatusPreconditionFailed)
	admin.with("If-Match", first).delete(path).rejected(http.StatusPreconditionFailed)
	now := admin.get(path).wants(http.StatusOK)
	if now.body != string(painted(2)) {
		t.Error("a rejected write has changed the picture")
	}
	admin.with("If-Match", now.header.Get("ETag")).delete(path).wants(http.StatusOK)
}

// contract 16.21
func TestPictureContentIsStoredOnceAndDeletedWithItsLastUse(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	admin := s.as("admin")
	for _, path := range []string{"/rest/performer/1/file/logo", "/rest/performer/1/file/stamp_file", "/rest/performer/2/file/logo"} {
		admin.put(path, painted(1)).wants(http.StatusOK)
	}
	stored := func(step string, want int) {
		t.Helper()
		if n := s.count("pictures", "true"); n != want {
			t.Errorf("%s, %d contents are stored, want %d", step, n, want)
		}
	}
	stored("after three uploads of one picture", 1)
	admin.put("/rest/performer/1/file/logo", painted(2)).wants(http.StatusOK)
	stored("after the first is replaced", 2)
	admin.delete("/rest/performer/1/file/stamp_file").wants(http.StatusOK)
	stored("after the second is deleted", 2)
	admin.delete("/rest/performer/2").wants(http.StatusOK)
	stored("after the performer of the third is deleted", 1)
	admin.dry().delete("/rest/performer/1/file/logo").wants(http.StatusOK)
	stored("after a dry run", 1)
	admin.delete("/rest/performer/1/file/logo").wants(http.StatusOK)
	stored("after the last is deleted", 0)
}

// contract 16.23
func TestDocumentIsPrintedWithThePicturesOfThePerformer(t *testing.T) {
	t.Parallel()
	s := printable(t)
	admin, viewer := s.as("admin"), s.as("viewer")
	plain := viewer.get("/rest/invoice/1/document?as=pdf").wants(http.StatusOK)
	ubl := viewer.get("/rest/invoice/1/document?as=ubl").wants(http.StatusOK).body
	if strings.Contains(plain.body, "/Subtype /Image") {
		t.Error("a performer without pictures has one on its invoice")
	}
	for i, kind := range performer.PictureKinds {
		admin.put("/rest/performer/1/file/"+string(kind), painted(uint8(i))).wants(http.StatusOK)
		if n := strings.Count(viewer.get("/rest/invoice/1/document?as=html").wants(http.StatusOK).body, "data:image/png;base64,"); n != i+1 {
			t.Errorf("with %d pictures, the page has %d", i+1, n)
		}
		pdf := viewer.get("/rest/invoice/1/document?as=pdf").wants(http.StatusOK).body
		if n := strings.Count(pdf, "/Subtype /Image") - strings.Count(pdf, "/SMask"); n != i+1 { // a mask is an image too
			t.Errorf("with %d pictures, the PDF has %d", i+1, n)
		}
	}
	first, second := viewer.get("/rest/invoice/1/document?as=pdf"), viewer.get("/rest/invoice/1/document?as=pdf")
	if first.body != second.body || first.header.Get("ETag") == plain.header.Get("ETag") {
		t.Error("the PDF differs from the one before, or has the tag of the one without pictures")
	}
	if got := viewer.get("/rest/invoice/1/document?as=ubl").wants(http.StatusOK).body; got != ubl {
		t.Error("an electronic invoice has changed with the pictures")
	}
}

// contract 16.22, 2.23
func TestPictureIsRejectedAndTheOneBeforeStays(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	admin, path := s.as("admin"), "/rest/performer/1/file/logo"
	admin.put(path, painted(1)).wants(http.StatusOK)
	const svg = `<svg xmlns="http://www.w3.org/2000/svg"/>`
	large := append(painted(2), make([]byte, performer.MaxPictureBytes)...)
	for name, tt := range map[string]struct {
		media  string
		body   picture
		status int
		detail string
	}{
		"a type that is none of pictures": {"image/svg+xml", picture(svg), http.StatusUnsupportedMediaType, "the body must be image/png or image/jpeg"},
		"a record":                        {"application/json", picture("{}"), http.StatusUnsupportedMediaType, "the body must be image/png or image/jpeg"},
		"another format":                  {"image/png", picture(svg), http.StatusUnprocessableEntity, "logo is not a PNG, contrary to its content type"},
		"an incomplete picture":           {"image/png", painted(2)[:40], http.StatusUnprocessableEntity, "logo cannot be decoded, it may be incomplete: unexpected EOF"},
		"no picture":                      {"image/png", nil, http.StatusUnprocessableEntity, "logo is missing: the body is the picture"},
		"too many bytes":                  {"image/png", large, http.StatusRequestEntityTooLarge, "the body is larger than 524288 bytes"},
	} {
		p := admin.with("Content-Type", tt.media).put(path, tt.body).rejected(tt.status)
		if p.Detail != tt.detail {
			t.Errorf("%s: %q", name, p.Detail)
		}
		if (tt.status == http.StatusUnprocessableEntity) != (len(p.Errors) == 1 && p.Errors[0].Field == "logo") {
			t.Errorf("%s: the fields are %v", name, p.Errors)
		}
	}
	admin.with("Content-Encoding", "gzip").put(path, painted(2)).rejected(http.StatusUnsupportedMediaType)
	if got := admin.get(path).wants(http.StatusOK).body; got != string(painted(1)) || s.count("pictures", "true") != 1 {
		t.Errorf("the picture is now %q", got)
	}
}

// contract 16.21, 16.56
func TestIssuedDocumentKeepsItsPictures(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	admin, logo, stamp := s.as("admin"), "/rest/performer/1/file/logo", "/rest/performer/1/file/stamp_file"
	admin.put(logo, painted(1)).wants(http.StatusOK)
	admin.put(stamp, photo(1)).wants(http.StatusOK)
	draft := s.drafted(nil)
	s.as("manager").dry().post(draft+"/issue", nil).wants(http.StatusOK)
	admin.put(logo, painted(2)).wants(http.StatusOK)
	if n := s.count("pictures", "true"); n != 2 {
		t.Errorf("after a dry run, %d contents are stored", n)
	}
	s.as("manager").post(draft+"/issue", nil).wants(http.StatusOK)
	before := map[string]string{}
	for _, as := range []string{"pdf", "html"} {
		before[as] = s.as("viewer").get(draft + "/document?as=" + as).wants(http.StatusOK).body
	}
	if n := strings.Count(before["html"], "data:image/"); n != 2 {
		t.Errorf("the issued document has %d pictures", n)
	}
	admin.put(logo, painted(3)).wants(http.StatusOK)
	admin.delete(stamp).wants(http.StatusOK)
	for as, want := range before {
		if got := s.as("viewer").get(draft + "/document?as=" + as).wants(http.StatusOK).body; got != want {
			t.Errorf("as %s, the issued document has changed with the pictures of the performer", as)
		}
	}
	if n := s.count("pictures", "true"); n != 3 {
		t.Errorf("%d contents are stored", n)
	}
}
