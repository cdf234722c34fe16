package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// printable gives the performer and the client of the bill what an XRechnung needs.
func printable(t *testing.T, options ...func(*bootstrap.Config)) *service {
	t.Helper()
	s := startBilling(t, options...)
	s.complete("1", nil)
	s.as("manager").post("/rest/invoice", bill(fields{"number": "2024/7", "items": []fields{goods("Catalogue", 3, "19.99")}})).wants(200)
	return s
}

// complete gives a performer and the first client what electronic invoices need.
func (s *service) complete(performer string, more fields) {
	s.t.Helper()
	admin := s.as("admin")
	admin.put("/rest/performer/"+performer+"/party", fieldsWith(fields{
		"legal_name": "Nordlicht GmbH", "street": "Hafen 1", "zip": "24103", "city": "Kiel", "country": "DE", "vat_id": "DE136695976",
		"iban": "DE02120300000000202051", "contact_name": "Ada", "contact_phone": "+49 431 1", "contact_email": "ada@example.org",
		"endpoint_id": "ada@example.org", "endpoint_scheme": "EM", "currency": "EUR",
	}, more)).wants(200)
	admin.put("/rest/client/1/party", fields{
		"zip": "50667", "city": "Köln", "country": "DE", "endpoint_id": "4012345000009", "endpoint_scheme": "0088", "payment_days": 14,
	}).wants(200)
}

// contract 16.16, 16.17
func TestInvoiceDocumentIsPrintedOnceNothingIsMissing(t *testing.T) {
	t.Parallel()
	s := printable(t)
	viewer := s.as("viewer")
	const missing = `"items":[{"rule":"BR-DE-15","term":"BT-10","record":"/rest/client/1/party","field":"buyer_reference",` +
		`"message":"The buyer reference is missing. Public buyers in Germany ask for their Leitweg-ID here."}]`
	refused := viewer.get("/rest/invoice/1/document?as=xrechnung").wants(http.StatusUnprocessableEntity)
	if !strings.Contains(refused.body, missing) || !strings.Contains(refused.body, `"code":"incomplete"`) {
		t.Errorf("refused with %s", refused.body)
	}
	inXML := viewer.with("Accept", "application/xml").get("/rest/invoice/1/document?as=xrechnung").wants(http.StatusUnprocessableEntity).body
	if !strings.Contains(inXML, "<items><item><rule>BR-DE-15</rule><term>BT-10</term><record>/rest/client/1/party</record>") {
		t.Errorf("in XML: %s", inXML)
	}
	const check = "/rest/invoice/1/document/check?as=xrechnung"
	if got, want := viewer.get(check).wants(200).body, `{"response":{"id":1,"as":"xrechnung",`+missing+`}}`; got != want {
		t.Errorf("the check: %s, want %s", got, want)
	}
	s.as("manager").put("/rest/client/1/party", fields{
		"zip": "50667", "city": "Köln", "country": "DE", "endpoint_id": "4012345000009", "endpoint_scheme": "0088", "payment_days": 14,
		"buyer_reference": "04011000-12345-03",
	}).wants(200)
	if got := viewer.get(check).wants(200).body; got != `{"response":{"id":1,"as":"xrechnung","items":[]}}` {
		t.Errorf("the check: %s", got)
	}
	s.as("manager").patch("/rest/invoice/1", fields{"due_date": "2031-05-06"}).wants(200)
	printed := viewer.get("/rest/invoice/1/document?as=xrechnung").wants(200)
	for _, part := range []string{"xrechnung_3.0", "<cbc:ID>2024/7</cbc:ID>", "<cbc:DueDate>2031-05-06</cbc:DueDate>", "Nordlicht GmbH", "04011000-12345-03", `<cbc:PayableAmount currencyID="EUR">71.96<`} {
		if !strings.Contains(printed.body, part) {
			t.Errorf("%s has no %s", printed.body, part)
		}
	}
	if got := printed.header.Get("Content-Disposition"); got != `inline; filename="invoice-2024-7-xrechnung.xml"` {
		t.Errorf("the file is %s", got)
	}
	pdf := viewer.get("/rest/invoice/1/document?as=pdf").wants(200)
	if got := pdf.header.Get("Link"); got != `<?as=facturx>; rel="alternate"; type="application/pdf"` { // contract 16.81
		t.Errorf("the PDF links to %s", got)
	}
	hybrid := viewer.get("/rest/invoice/1/document?as=facturx").wants(200)
	if got := hybrid.header.Get("Content-Type"); got != "application/pdf" || !strings.HasPrefix(hybrid.body, pdf.body) {
		t.Errorf("the hybrid invoice is a %s of %d bytes, the PDF has %d", got, len(hybrid.body), len(pdf.body))
	}
	if got := hybrid.header.Get("Content-Disposition"); got != `inline; filename="invoice-2024-7-facturx.pdf"` {
		t.Errorf("the file is %s", got)
	}
	tag := printed.header.Get("ETag")
	viewer.with("If-None-Match", tag).get("/rest/invoice/1/document?as=xrechnung").wants(http.StatusNotModified)
	s.as("manager").patch("/rest/invoice/1", fields{"notice": "Thank you"}).wants(200)
	if again := viewer.with("If-None-Match", tag).get("/rest/invoice/1/document?as=xrechnung").wants(200); again.header.Get("ETag") == tag {
		t.Error("another document has the same tag")
	}
}

// contract 16.16, 16.36
func TestInvoiceDocumentHasTheRequestedForm(t *testing.T) {
	t.Parallel()
	s := printable(t)
	viewer := s.as("viewer")
	for _, tt := range []struct{ accept, as, media, begin string }{
		{"", "", "application/pdf", "%PDF-"},
		{"application/pdf", "", "application/pdf", "%PDF-"},
		{"text/html,application/xhtml+xml,*/*;q=0.1", "", "text/html; charset=utf-8", "<!doctype html>"},
		{"application/xml", "", "application/xml; charset=utf-8", "<?xml"},
		{"application/json", "?as=html", "text/html; charset=utf-8", "<!doctype html>"},
		{"application/pdf", "?as=cii", "application/xml; charset=utf-8", "<?xml"},
	} {
		r := viewer.with("Accept", tt.accept).get("/rest/invoice/1/document" + tt.as).wants(200)
		if r.header.Get("Content-Type") != tt.media || !strings.HasPrefix(strings.ToLower(r.body), strings.ToLower(tt.begin)) {
			t.Errorf("%s%s: %s, %.40s", tt.accept, tt.as, r.header.Get("Content-Type"), r.body)
		}
		policy, isHTML := r.header.Get("Content-Security-Policy"), strings.HasPrefix(tt.media, "text/html")
		if strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") != isHTML || (policy != "") != isHTML {
			t.Errorf("%s%s: the Content-Security-Policy is %q", tt.accept, tt.as, policy)
		}
	}
	viewer.get("/rest/invoice/1/document?as=docx").rejected(http.StatusBadRequest)
	viewer.get("/rest/invoice/1/document?fields=id").rejected(http.StatusBadRequest)
	viewer.get("/rest/invoice/9/document").rejected(http.StatusNotFound)
	viewer.get("/rest/invoice/9/document/check?as=ubl").rejected(http.StatusNotFound)
	s.nobody().get("/rest/invoice/1/document").rejected(http.StatusUnauthorized)
}

// contract 2.39
func TestDocumentWithTooMuchTextIsRejected(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	lines := make([]fields, 7)
	for i := range lines {
		lines[i] = goods(strings.Repeat("'", 65_535), 1, "1")
	}
	draft := s.drafted(fields{"items": lines})
	const said = "as HTML or XML, where characters such as quotation marks take 5: 2097152 are the maximum; shorten the names of its lines"
	manager, viewer := s.as("manager"), s.as("viewer")
	for _, as := range []string{"pdf", "html"} {
		if p := viewer.get(draft + "/document?as=" + as).rejected(http.StatusUnprocessableEntity); !strings.HasSuffix(p.Detail, said) {
			t.Errorf("as %s: %s", as, p.Detail)
		}
	}
	if p := manager.post(draft+"/issue", nil).rejected(http.StatusUnprocessableEntity); !strings.HasSuffix(p.Detail, said) {
		t.Errorf("to issue: %s", p.Detail)
	}
	manager.get(draft).wants(http.StatusOK).wantsText(fields{"number": "draft-2", "issued_on": nil})
	manager.post(draft+"/issue?as=none", nil).wants(http.StatusOK)
	viewer.get(draft + "/document?as=ubl").rejected(http.StatusUnprocessableEntity)
}

// contract 2.39
func TestDocumentsThatWaitLeaveRoomForOtherRequests(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the limit of all requests in flight")
	s := issuer(t, withPatience, func(c *bootstrap.Config) { c.MaxRequests, c.CallerShare = 8, 50 })
	const path = "/rest/invoice/1/document?as=html"
	pool, release := s.holdLock("lock table invoices in access exclusive mode")
	responses := make(chan *reply, 4)
	for _, name := range []string{"viewer", "manager"} {
		for range 2 {
			go func() { responses <- s.as(name).get(path) }()
		}
	}
	for pgtest.LockWaits(t, pool) < 4 {
		time.Sleep(time.Millisecond)
	}
	beyond := s.as("other").get(path)
	p := beyond.rejected(http.StatusServiceUnavailable)
	if beyond.header.Get("Retry-After") == "" || !strings.Contains(p.Detail, "busy with other requests") {
		t.Errorf("a document beyond the limit is %s with the header %v", beyond.body, beyond.header)
	}
	s.as("viewer").get("/rest/client/1").wants(http.StatusOK)
	release()
	for range cap(responses) {
		(<-responses).wants(http.StatusOK)
	}
	s.as("other").get(path).wants(http.StatusOK)
}
