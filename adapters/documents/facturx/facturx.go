// Package facturx puts an electronic invoice into its PDF: Factur-X 1.0, which is ZUGFeRD 2, in the profile EN 16931. The file is
// PDF/A-3B (ISO 19005-3).
//
// Chose: an incremental update, appended to the PDF as it is. Because: the library that writes it has neither associated files nor
// an identifier, and pages, fonts and pictures pass untouched. Costs: the end of a file of that library has to be read.
package facturx

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// FileName is the name of the electronic invoice in the PDF, which Factur-X prescribes.
const FileName = "factur-x.xml"

// Metadata says what the PDF says of itself, once more for readers of XMP.
type Metadata struct {
	Title, Author, Creator string
	Date                   time.Time
}

// ending is the end of a PDF: the size of its table of objects, its catalogue and information, and the offset of the table.
var ending = regexp.MustCompile(`(?s)trailer\n<<\n/Size (\d+)\n/Root (\d+) 0 R\n/Info (\d+) 0 R\n>>\nstartxref\n(\d+)\n%%EOF\n$`)

// Embed returns the PDF with the invoice in it. The same arguments yield the same bytes. A PDF that does not end as those of
// package paper is an error.
func Embed(pdf, invoice []byte, m Metadata) ([]byte, error) {
	tail := pdf[max(0, len(pdf)-1<<10):]
	end := ending.FindSubmatch(tail)
	if end == nil {
		return nil, errors.New("the end of the PDF is unknown")
	}
	u := update{previous: string(end[4]), information: string(end[3]), offsets: map[int]int{}}
	_, _ = fmt.Sscan(string(end[1])+" "+string(end[2]), &u.first, &u.root) // digits
	head := fmt.Appendf(nil, "\n%d 0 obj\n<<\n", u.root)
	start := bytes.LastIndex(pdf, head) // the catalogue is the last object, and pictures before it may have any bytes
	catalog, _, found := bytes.Cut(pdf[max(0, start):], []byte("/Names <<"))
	if start < 0 || !found {
		return nil, errors.New("the PDF has no catalogue")
	}
	u.Grow(len(pdf) + len(invoice) + 8<<10)
	u.Write(pdf)
	u.append(string(catalog[len(head):]), invoice, m)
	return u.Bytes(), nil
}

// update is a PDF that is being extended.
type update struct {
	bytes.Buffer
	first, root           int // number of the first new object, and of the catalogue
	information, previous string
	offsets               map[int]int
}

// append writes the new objects and the new catalogue, which is the old one with references to them.
func (u *update) append(catalog string, invoice []byte, m Metadata) {
	file, specification, metadata, profile := u.first, u.first+1, u.first+2, u.first+3
	u.stream(file, fmt.Sprintf("/Type /EmbeddedFile /Subtype /text#2Fxml /Params <</ModDate (D:%sZ) /Size %d>>",
		m.Date.UTC().Format("20060102150405"), len(invoice)), invoice)
	u.object(specification, fmt.Sprintf("/Type /Filespec /F (%[1]s) /UF (%[1]s) /AFRelationship /Alternative /Desc (Factur-X) "+
		"/EF <</F %[2]d 0 R /UF %[2]d 0 R>>", FileName, file))
	u.stream(metadata, "/Type /Metadata /Subtype /XML", xmp(m))
	u.stream(profile, "/N 3", sRGB())
	u.object(u.root, fmt.Sprintf("\n%s/Metadata %d 0 R /AF [%[3]d 0 R] /Names <</EmbeddedFiles <</Names [(%[5]s) %[3]d 0 R]>>>> "+
		"/OutputIntents [<</Type /OutputIntent /S /GTS_PDFA1 /OutputConditionIdentifier (sRGB) /Info (sRGB) /DestOutputProfile %[4]d 0 R>>]",
		catalog, metadata, specification, profile, FileName))
	u.table()
}

func (u *update) object(number int, dictionary string) {
	u.offsets[number] = u.Len()
	fmt.Fprintf(u, "%d 0 obj\n<<%s>>\nendobj\n", number, dictionary)
}

func (u *update) stream(number int, dictionary string, content []byte) {
	u.offsets[number] = u.Len()
	fmt.Fprintf(u, "%d 0 obj\n<<%s /Length %d>>\nstream\n%s\nendstream\nendobj\n", number, dictionary, len(content), content)
}

// table ends the file with the table of the new objects. The identifier of the file is made of its content.
func (u *update) table() {
	start := u.Len()
	fmt.Fprintf(u, "xref\n%d 1\n%010d 00000 n \n%d %d\n", u.root, u.offsets[u.root], u.first, len(u.offsets)-1)
	for number := u.first; number < u.first+len(u.offsets)-1; number++ {
		fmt.Fprintf(u, "%010d 00000 n \n", u.offsets[number])
	}
	sum := sha256.Sum256(u.Bytes())
	fmt.Fprintf(u, "trailer\n<</Size %d /Root %d 0 R /Info %s 0 R /Prev %s /ID [<%[5]x> <%[5]x>]>>\nstartxref\n%[6]d\n%%%%EOF\n",
		u.first+len(u.offsets)-1, u.root, u.information, u.previous, sum[:16], start)
}

var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// xmp returns the metadata of the file: that it is PDF/A-3B, and a hybrid invoice by the extension schema of Factur-X.
func xmp(m Metadata) []byte {
	at := m.Date.UTC().Format(time.RFC3339)
	var properties strings.Builder
	for _, p := range [][2]string{
		{"DocumentFileName", "name of the embedded file"}, {"DocumentType", "kind of the document"},
		{"Version", "version of the schema of the embedded file"}, {"ConformanceLevel", "profile of the embedded file"},
	} {
		fmt.Fprintf(&properties, `
<rdf:li rdf:parseType="Resource"><pdfaProperty:name>%s</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType>`+
			`<pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>%s</pdfaProperty:description></rdf:li>`, p[0], p[1])
	}
	return fmt.Appendf(nil, packet, escaped.Replace(m.Title), escaped.Replace(m.Author), escaped.Replace(m.Creator), at, FileName, &properties)
}

const packet = "<?xpacket begin=\"\uFEFF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>" + `
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:fx="urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#">
<pdfaid:part>3</pdfaid:part>
<pdfaid:conformance>B</pdfaid:conformance>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">%[1]s</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>%[2]s</rdf:li></rdf:Seq></dc:creator>
<xmp:CreatorTool>%[3]s</xmp:CreatorTool>
<xmp:CreateDate>%[4]s</xmp:CreateDate>
<xmp:ModifyDate>%[4]s</xmp:ModifyDate>
<fx:DocumentType>INVOICE</fx:DocumentType>
<fx:DocumentFileName>%[5]s</fx:DocumentFileName>
<fx:Version>1.0</fx:Version>
<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>
</rdf:Description>
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
 xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
<pdfaSchema:namespaceURI>urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#</pdfaSchema:namespaceURI>
<pdfaSchema:prefix>fx</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq>%[6]s
</rdf:Seq></pdfaSchema:property>
</rdf:li></rdf:Bag></pdfaExtension:schemas>
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>`
