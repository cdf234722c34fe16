package paper

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"net/http"

	"github.com/kontor-crm/kontor/domain/billing"
)

//go:embed sheet.css
var style string

//go:embed sheet.html
var page string

var sheetPage = template.Must(template.New("sheet").Parse(page))

// ContentSecurityPolicy allows a document in HTML its style and its pictures, which are part of it,
// and nothing else.
var ContentSecurityPolicy = func() string {
	hash := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
}()

type htmlSheet struct {
	sheet
	Style       template.CSS
	Words       htmlWords
	Logo, Stamp template.URL
	Signed      []htmlSigner
}

type htmlWords struct{ Payment, Logo, Stamp, Signature string }

type htmlSigner struct {
	Name, Rank string
	Picture    template.URL
}

// WriteHTML writes a document as one page of HTML, without scripts, which prints on A4.
func WriteHTML(w io.Writer, d billing.Document, p Pictures) error {
	s := sheetOf(d, p)
	v := htmlSheet{
		sheet: s, Style: template.CSS(style), Logo: inline(p.Logo), Stamp: inline(p.Stamp), //nolint:gosec // the style is ours
		Words: htmlWords{s.words.payment, s.words.logo, s.words.stamp, s.words.signature},
	}
	for _, who := range s.Signers {
		v.Signed = append(v.Signed, htmlSigner{who.Name, who.Rank, inline(p.named()[who.picture])})
	}
	return sheetPage.Execute(w, v)
}

// inline returns a picture as the data: URL of it; "" without one.
func inline(picture []byte) template.URL {
	if picture == nil {
		return ""
	}
	encoded := base64.StdEncoding.EncodeToString(picture)
	return template.URL("data:" + http.DetectContentType(picture) + ";base64," + encoded) //nolint:gosec // base64
}
