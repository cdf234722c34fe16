package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

const xmlHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

var xmlText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;")

// elementOf returns the next JSON value as an XML element of the name.
func elementOf(t *testing.T, d *json.Decoder, name string) string {
	t.Helper()
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	inner := ""
	switch v := token.(type) {
	case json.Delim:
		inner = elements(t, d, v)
	case string:
		inner = xmlText.Replace(v)
	case json.Number:
		inner = v.String()
	case bool:
		if v {
			inner = "1"
		}
	}
	if inner == "" {
		return "<" + name + "/>"
	}
	return "<" + name + ">" + inner + "</" + name + ">"
}

// elements returns the elements of an object or a list that has been opened.
func elements(t *testing.T, d *json.Decoder, opened json.Delim) string {
	t.Helper()
	var b strings.Builder
	for d.More() {
		name := "item"
		if opened == '{' {
			token, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			name = token.(string)
		}
		b.WriteString(elementOf(t, d, name))
	}
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// inXML converts a JSON response to the corresponding XML response.
func inXML(t *testing.T, response string) string {
	t.Helper()
	body, isList := strings.CutPrefix(response, `{"response":{"items":[`)
	if isList {
		body = "[" + strings.TrimSuffix(body, "}}")
	} else {
		body = strings.TrimSuffix(strings.TrimPrefix(response, `{"response":`), "}")
	}
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	return xmlHead + "<response>" + elements(t, d, token.(json.Delim)) + "</response>"
}

// contract 2.1, 2.11, 2.12, 2.14
func TestFormatsJSONAndXMLAgreeOnEveryResponse(t *testing.T) {
	t.Parallel()
	s := startWithSamples(t)
	admin := s.as("admin")
	admin.post("/rest/offer", samples["/rest/offer"]).wants(http.StatusOK)
	admin.post("/rest/contract", samples["/rest/contract"]).wants(http.StatusOK)
	admin.post("/rest/contact", samples["/rest/contact"]).wants(http.StatusOK)
	admin.post("/rest/deal-type", samples["/rest/deal-type"]).wants(http.StatusOK)
	admin.post("/rest/rule", samples["/rest/rule"]).wants(http.StatusOK)
	admin.post("/rest/rule/1/trial", nil).wants(http.StatusOK)
	admin.put("/rest/invoice/1", fields{
		"notice": "a & b\r\n<c> ]]>", "paid": true, "items": []fields{goods("päns", "2.5", 3), goods("less", -1, "0.5")},
	}).wants(http.StatusOK)
	for _, owner := range []string{"performer", "client"} {
		admin.put("/rest/"+owner+"/1/party", fields{"legal_name": "A & B", "country": "DE", "payment_days": 14}).wants(http.StatusOK)
	}
	for path, item := range described().whole.Paths.Map() {
		isFile := strings.HasSuffix(path, "/document") || strings.Contains(path, "/file/")
		if item.Get == nil || !strings.HasPrefix(path, "/rest/") || isFile {
			continue
		}
		query := "?"
		if path == "/rest/contact" {
			query = "?client_id=1&"
		}
		for _, name := range []string{"count_deals", "count_offers", "count_contracts", "count_invoices"} {
			if item.Get.Parameters.GetByInAndName("query", name) != nil {
				query += name + "=1&"
			}
		}
		expanded := ""
		if expand := item.Get.Parameters.GetByInAndName("query", "expand"); expand != nil {
			_, names, _ := strings.Cut(expand.Description, ": ")
			names, _, _ = strings.Cut(names, ".")
			expanded = "expand=" + strings.ReplaceAll(names, ", ", ",")
		}
		for _, query := range []string{query, query + expanded} {
			address := strings.ReplaceAll(path, "{id}", "1") + query
			inJSON := admin.get(address).wants(http.StatusOK)
			if want, got := inXML(t, inJSON.body), admin.with("Accept", "application/xml").get(address).wants(http.StatusOK).body; got != want {
				t.Errorf("%s in XML is\n%s\nwant, as in JSON,\n%s", address, got, want)
			}
		}
	}
}
