package paper

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/text/unicode/norm"

	"github.com/kontor-crm/kontor/domain/billing"
)

// Measures in mm.
const (
	left       = 20.0
	width      = 175.0 // of the text
	top        = 20.0
	headTop    = 11.0 // of what pages after the first one begin with
	end        = 290.0
	lineHeight = 4.6
	footHeight = 3.4 // of a line of the footer
	footGap    = 10.0
	minFoot    = 18.0 // of the footer
	gap        = 6.0
	space      = 2.0 // between columns
)

// The widths of the columns, and their alignment.
var (
	columns    = [5]float64{9, 86, 30, 23, 27}
	alignments = [5]string{"L", "L", "R", "R", "R"}
)

const (
	family = "sans"
	normal = 9.0 // size in points
	small  = 7.0
)

// Creator is the program that writes documents, in their metadata.
const Creator = "Kontor"

// WritePDF writes a document as PDF on A4. The same document and pictures yield the same bytes. The
// fonts have Latin, Greek and Cyrillic letters; others are printed as a box. If ctx ends, no further page is begun, and
// the error is that of ctx.
func WritePDF(ctx context.Context, w io.Writer, d billing.Document, p Pictures) error {
	s := sheetOf(d, p)
	pdf := fpdf.New("P", "mm", "A4", "")
	pdf.SetCatalogSort(true)
	pdf.SetCreationDate(d.Date)
	pdf.SetModificationDate(d.Date)
	pdf.SetCreator(Creator, true)
	pdf.SetTitle(s.Title, true)
	pdf.SetAuthor(d.Seller.Name, true)
	pdf.SetLang(s.Language)
	pdf.SetMargins(left, top, 210-left-width)
	pdf.SetAutoPageBreak(false, 0)
	pdf.SetCellMargin(0)
	pdf.AddUTF8FontFromBytes(family, "", liberationsansregular.TTF)
	pdf.AddUTF8FontFromBytes(family, "B", liberationsansbold.TTF)
	l := layout{Fpdf: pdf, ctx: ctx, sheet: s}
	l.measureFooter()
	l.register(p)
	if pdf.Err() {
		return pdf.Error()
	}
	l.head()
	l.table()
	l.totals()
	l.rest()
	l.footers()
	return pdf.Output(w)
}

// layout writes a sheet from the top to the bottom.
type layout struct {
	*fpdf.Fpdf
	ctx context.Context //nolint:containedctx // of the one call of WritePDF
	sheet
	carried string   // sum of the amounts of the lines so far, while the table is written
	footer  []string // the lines of the footer
	bottom  float64  // of the text; below is the footer
}

// measureFooter breaks the footer into lines, and leaves as much room for it as they take.
func (l *layout) measureFooter() {
	l.SetFont(family, "", small)
	for _, text := range l.Footer {
		l.footer = append(l.footer, l.split(text, width-30)...)
	}
	l.bottom = l.footerTop() - footGap
}

func (l *layout) footerTop() float64 { return end - max(minFoot, float64(len(l.footer))*footHeight) }

// AddPage begins a page, unless nobody waits for the document any more.
func (l *layout) AddPage() {
	if l.Err() {
		return
	}
	l.SetError(l.ctx.Err())
	l.Fpdf.AddPage()
	if l.Mark != "" && !l.Err() {
		l.mark()
	}
}

// mark writes across the page that the document does not count.
func (l *layout) mark() {
	size, _ := l.GetFontSize()
	style := l.GetFontStyle()
	l.SetFont(family, "B", 80)
	l.SetFontSize(min(80, 80*width/l.GetStringWidth(l.Mark)))
	l.SetTextColor(235, 235, 235)
	const middleX, middleY = left + width/2, 150.0
	l.TransformBegin()
	l.TransformRotate(50, middleX, middleY)
	l.Text(middleX-l.GetStringWidth(l.Mark)/2, middleY, l.Mark)
	l.TransformEnd()
	l.SetTextColor(0, 0, 0)
	l.SetFont(family, style, size)
}

func (l *layout) head() {
	l.AddPage()
	l.picture(logo, left+width-50, top, 50, 22)
	l.SetFont(family, "B", 11)
	l.paragraph(110, l.Sender[:min(1, len(l.Sender))]...)
	l.SetFont(family, "", normal)
	if len(l.Sender) > 1 {
		l.paragraph(110, l.Sender[1:]...)
	}
	start := max(l.GetY()+gap, 50)
	l.SetXY(left, start)
	l.SetFontSize(10)
	l.paragraph(95, l.Recipient...)
	end := l.GetY()
	l.SetFontSize(normal)
	l.SetY(start)
	for _, f := range l.Facts {
		l.SetX(left + 95)
		l.labelled(f, 38, 42)
	}
	l.SetXY(left, max(end, l.GetY(), 80)+gap)
	l.SetFont(family, "B", 15)
	l.paragraph(width, l.Title)
	l.SetFont(family, "", normal)
	l.Ln(2)
}

// labelled writes a label, and beside it a text of as many lines as it needs.
func (l *layout) labelled(f fact, label, text float64) {
	x := l.GetX()
	for i, part := range l.split(f.Text, text) {
		if i > 0 {
			f.Label = ""
		}
		l.breakBefore(lineHeight)
		l.SetX(x)
		l.SetTextColor(90, 90, 90)
		l.CellFormat(label, lineHeight, printable(f.Label), "", 0, "L", false, 0, "")
		l.SetTextColor(0, 0, 0)
		l.CellFormat(text, lineHeight, part, "", 1, "L", false, 0, "")
	}
}

func (l *layout) paragraph(w float64, texts ...string) {
	_, size := l.GetFontSize()
	for _, text := range texts {
		for _, part := range l.split(text, w) {
			l.breakBefore(size * 1.4)
			l.CellFormat(w, size*1.4, part, "", 1, "L", false, 0, "")
		}
	}
}

// split returns a text in lines of at most that width; none after an error.
func (l *layout) split(text string, w float64) []string {
	var parts []string
	if l.Err() {
		return nil
	}
	for part := range strings.Lines(printable(text)) {
		if part = strings.TrimRight(part, "\r\n"); part == "" {
			parts = append(parts, "")
			continue
		}
		parts = append(parts, l.wrap(part, w)...)
	}
	return parts
}

// wrap breaks a line at spaces, or within a word that is too wide. It is not left to the library, for which an accent is wider
// than any line, and a character that the fonts do not have has no width.
func (l *layout) wrap(text string, w float64) (parts []string) {
	_, size := l.GetFontSize()
	most, s := int(math.Ceil(w*1000/size)), []rune(text)
	from, end, sum := 0, -1, 0
	for i := 0; i < len(s); i++ {
		sum += l.GetStringSymbolWidth(string(s[i]))
		if unicode.IsSpace(s[i]) {
			end = i
		}
		if sum <= most {
			continue
		}
		next := end + 1
		if end < 0 {
			end = max(i, from+1)
			next = end
		}
		parts = append(parts, string(s[from:end]))
		from, i, end, sum = next, next-1, -1, 0
	}
	if from < len(s) {
		parts = append(parts, string(s[from:]))
	}
	return parts
}

// printable returns a text in composed characters, without what the fonts or the library do not
// have: control and invisible characters, special spaces, and characters beyond the basic
// multilingual plane.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r != '\u00a0' && unicode.Is(unicode.Zs, r):
			return ' '
		case r == '\u2010', r == '\u2011':
			return '-'
		case r == '\u2028', r == '\u2029':
			return '\n'
		case r != '\n' && unicode.IsControl(r), r == '\ufffc', unicode.In(r, unicode.Cf, unicode.Variation_Selector,
			unicode.Other_Default_Ignorable_Code_Point):
			return -1
		case r > 0xffff:
			return '□'
		}
		return r
	}, norm.NFC.String(text))
}

func (l *layout) table() {
	l.tableHead()
	for _, item := range l.Lines {
		if l.Err() {
			return
		}
		names, counts := l.split(item.Name+" ", columns[1]-space), l.split(item.Count, columns[2]-space)
		names = append(names, l.split(item.Detail, columns[1]-space)...)
		for i := range max(len(names), len(counts)) {
			if i > 0 {
				item = line{carried: item.carried}
			}
			if l.GetY()+2*lineHeight > l.bottom {
				if l.carry(); l.Err() {
					return
				}
			}
			l.row(item.Number, strings.TrimRight(at(names, i), " "), at(counts, i), item.Price, item.Amount)
			l.carried = item.carried
		}
		l.rule(200)
	}
}

// at returns the text at an index; "" beyond the last one.
func at(texts []string, i int) string {
	if i < len(texts) {
		return texts[i]
	}
	return ""
}

func (l *layout) tableHead() {
	l.SetFont(family, "B", normal)
	head := l.Columns
	if l.Currency != "" {
		head[4] += " " + l.Currency
	}
	l.row(head[:]...)
	l.SetFont(family, "", normal)
	l.rule(0)
}

// row writes the cells of a line of the table, each in its column. What is too wide is compressed.
func (l *layout) row(cells ...string) {
	for i, text := range cells {
		size, _ := l.GetFontSize()
		if w := l.GetStringWidth(printable(text)); i != 1 && w > columns[i]-space {
			l.SetFontSize(size * (columns[i] - space) / w)
		}
		l.CellFormat(columns[i], lineHeight, printable(text), "", 0, alignments[i], false, 0, "")
		l.SetFontSize(size)
	}
	l.Ln(lineHeight)
}

// rule draws a line below what was written, from the left margin.
func (l *layout) rule(grey int) { l.ruleFrom(left, grey) }

func (l *layout) ruleFrom(x float64, grey int) {
	l.SetDrawColor(grey, grey, grey)
	l.SetLineWidth(0.15)
	y := l.GetY() + 0.4
	l.Line(x, y, left+width, y)
	l.SetY(y + 0.6)
}

// carry continues the table on the next page: both pages have the sum so far.
func (l *layout) carry() {
	if l.carried != "" {
		l.row("", l.words.carried, "", "", l.carried)
	}
	l.AddPage()
	l.tableHead()
	if l.carried != "" {
		l.row("", l.words.brought, "", "", l.carried)
		l.rule(200)
	}
}

// breakBefore begins a page if a part of that height does not fit on this one.
func (l *layout) breakBefore(height float64) {
	if l.GetY()+height > l.bottom {
		l.AddPage()
	}
}

func (l *layout) totals() {
	if l.GetY()+float64(len(l.Totals)+1)*(lineHeight+1) > l.bottom {
		l.carry()
	}
	l.Ln(1)
	for i, f := range l.Totals {
		if i == len(l.Totals)-1 {
			l.ruleFrom(left+75, 0)
			l.SetFont(family, "B", 11)
		}
		l.SetX(left + 75)
		l.CellFormat(55, lineHeight+1, printable(f.Label), "", 0, "L", false, 0, "")
		l.CellFormat(45, lineHeight+1, f.Text, "", 1, "R", false, 0, "")
	}
	l.SetFont(family, "", normal)
	l.Ln(gap)
}

func (l *layout) rest() {
	l.paragraph(width, l.Notes...)
	if len(l.Payment) > 0 {
		l.breakBefore(3 * lineHeight) // the heading is not the last line of its page
		l.Ln(2)
		l.SetFont(family, "B", normal)
		l.paragraph(width, l.words.payment)
		l.SetFont(family, "", normal)
		for _, f := range l.Payment {
			l.SetX(left)
			l.labelled(f, 40, width-40)
		}
	}
	if len(l.Signers) == 0 && l.GetImageInfo(stamp) == nil {
		return
	}
	texts := 0
	for _, s := range l.Signers {
		texts = max(texts, len(l.split(s.Name, 50))+len(l.split(s.Rank, 50)))
	}
	l.breakBefore(max(40, gap+20+float64(texts)*lineHeight))
	l.Ln(gap)
	y := l.GetY()
	for i, s := range l.Signers {
		x := left + float64(i)*60
		l.picture(s.picture, x, y, 50, 18)
		l.Line(x, y+19, x+50, y+19)
		l.SetXY(x, y+20)
		for _, text := range append(l.split(s.Name, 50), l.split(s.Rank, 50)...) {
			l.CellFormat(50, lineHeight, text, "", 2, "L", false, 0, "")
		}
	}
	l.picture(stamp, left+130, y, 40, 30)
}

// footers writes the footer of each page, when their number is known, and at the head of those after the first one what they
// belong to.
func (l *layout) footers() {
	pages, from := l.PageCount(), l.footerTop()
	for page := 1; page <= pages; page++ {
		l.SetPage(page)
		l.SetFontSize(normal) // the library writes a font only if it changes, and does not know those of the page
		l.SetFontSize(small)
		l.SetTextColor(90, 90, 90)
		l.SetDrawColor(200, 200, 200)
		l.Line(left, from-1, left+width, from-1)
		for i, text := range l.footer {
			l.SetXY(left, from+float64(i)*footHeight)
			l.CellFormat(width-30, footHeight, text, "", 0, "L", false, 0, "")
		}
		if page > 1 {
			l.runningHead()
		}
		l.SetXY(left+width-30, from)
		l.CellFormat(30, footHeight, fmt.Sprintf(l.words.page, page, pages), "", 0, "R", false, 0, "")
	}
}

// runningHead writes the title, the date and the name of the seller.
func (l *layout) runningHead() {
	half := width / 2
	l.SetXY(left, headTop)
	l.CellFormat(half, footHeight, at(l.split(l.Running, half-space), 0), "", 0, "L", false, 0, "")
	l.CellFormat(half, footHeight, at(l.split(at(l.Sender, 0), half-space), 0), "", 0, "R", false, 0, "")
}

// register adds the pictures to the document, by name. No two have the same width: the library orders pictures by it, and
// those of one width at random.
func (l *layout) register(p Pictures) {
	widths := map[float64]bool{}
	named := p.named()
	for i, name := range slices.Sorted(maps.Keys(named)) {
		data := named[name]
		if data == nil {
			continue
		}
		kind := strings.TrimPrefix(http.DetectContentType(data), "image/")
		info := l.RegisterImageOptionsReader(name, fpdf.ImageOptions{ImageType: kind}, bytes.NewReader(data))
		if l.Err() {
			return
		}
		if widths[info.Width()] {
			l.SetError(widen(info, float64(i)/10))
		}
		widths[info.Width()] = true
	}
}

// widen adds a fraction of a pixel to the width of a picture, of which the library writes the whole part. Its width has no
// setter, but is part of the encoding.
func widen(info *fpdf.ImageInfoType, pixel float64) error {
	encoded, err := info.GobEncode()
	if err != nil {
		return err
	}
	var (
		data, mask, palette []byte
		object, depth       int
		w, h, scale, dpi    float64
		space, filter, dp   string
		transparent         []int
	)
	fields := []any{&data, &mask, &object, &w, &h, &space, &palette, &depth, &filter, &dp, &transparent, &scale, &dpi}
	decoder := gob.NewDecoder(bytes.NewReader(encoded))
	for _, field := range fields {
		if err := decoder.Decode(field); err != nil {
			return err
		}
	}
	w += pixel
	var b bytes.Buffer
	encoder := gob.NewEncoder(&b)
	for _, field := range fields {
		if err := encoder.Encode(field); err != nil {
			return err
		}
	}
	return info.GobDecode(b.Bytes())
}

// picture writes a picture into a box, at the left or, if the box ends at the margin, at the right.
func (l *layout) picture(name string, x, y, w, h float64) {
	info := l.GetImageInfo(name)
	if info == nil {
		return
	}
	scale := min(w/info.Width(), h/info.Height())
	if x+w >= left+width {
		x += w - info.Width()*scale
	}
	l.ImageOptions(name, x, y, info.Width()*scale, info.Height()*scale, false, fpdf.ImageOptions{}, 0, "")
}
