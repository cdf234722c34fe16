package api_test

import (
	"strings"
	"testing"
)

// contract 2.23, 2.24, 2.25, 2.26: one invoice, sent in each of the four formats.
func TestBodyFormatsAreEquivalent(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	const form = "number=7&date=2024-03-09&performer_id=1&client_id=1&type_id=1&items[0][name]=ink+%26+paper&items[0][items_count]=2.5&items[0][item_price]=3"
	var parts strings.Builder
	for pair := range strings.SplitSeq(form, "&") {
		name, value, _ := strings.Cut(pair, "=")
		value = strings.NewReplacer("+", " ", "%26", "&").Replace(value)
		parts.WriteString("--cut\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n")
	}
	parts.WriteString("--cut--\r\n")
	for contentType, body := range map[string]string{
		"application/json": `{"number":"7","date":"2024-03-09","performer_id":1,"client_id":"1","type_id":1,
			"items":[{"name":"ink & paper","items_count":2.5,"item_price":"3"}]}`,
		"application/x-www-form-urlencoded": form,
		"multipart/form-data; boundary=cut": parts.String(),
		"application/xml": `<invoice><number>7</number><date>2024-03-09</date><performer_id>1</performer_id><client_id>1</client_id><type_id>1</type_id>` +
			`<items><item><name>ink &amp; paper</name><items_count>2.5</items_count><item_price>3</item_price></item></items></invoice>`,
	} {
		r := s.as("manager").with("Content-Type", contentType).
			post("/rest/invoice?fields=number,date,total_price,items.name,items.count,items.price", body).wants(200)
		want := `{"response":{"number":"7","date":"2024-03-09 00:00:00","total_price":"7.5000","items":[{"name":"ink & paper","count":2.5,"price":"3.0000"}]}}`
		if r.body != want {
			t.Errorf("%s: got  %s\nwant %s", contentType, r.body, want)
		}
	}
	wrong := s.as("manager").with("Content-Type", "application/x-www-form-urlencoded").
		post("/rest/invoice", form+"&items[1][name]=&items[1][count]=0").wrongFields()
	if got := strings.Join(wrong, " "); got != "items[1].name items[1].count" {
		t.Errorf("the wrong fields of a form are %s", got)
	}
}
