package problem

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain/fault"
)

// contract 3.7, 3.10, 3.15, 3.12, 4.53, 3.22
func TestProblemHasTheStatusOfItsError(t *testing.T) {
	for name, c := range map[string]struct {
		err        error
		status     int
		kind       string // of problem; "" for about:blank
		unexpected bool
	}{
		"unauthenticated":          {fault.New(fault.Unauthenticated, "x"), 401, "", false},
		"malformed":                {fault.New(fault.Malformed, "x"), 400, "", false},
		"forbidden":                {fault.New(fault.Forbidden, "x"), 403, "", false},
		"not found":                {fault.New(fault.NotFound, "x"), 404, "", false},
		"stale":                    {fault.New(fault.Stale, "x"), 412, "", false},
		"invalid":                  {fault.New(fault.Invalid, "x"), 422, "", false},
		"conflict":                 {fault.New(fault.Conflict, "x"), 409, "", false},
		"conflict with a cause":    {fault.New(fault.Conflict, "x").WithCause(errors.New("y")), 409, "", false},
		"dangling":                 {fault.New(fault.Dangling, "x"), 422, "", false},
		"unavailable":              {fault.New(fault.Unavailable, "x"), 503, "", false},
		"unavailable with a cause": {fault.New(fault.Unavailable, "x").WithCause(errors.New("y")), 503, "", true},
		"contract 3.24":            {fault.New(fault.OutcomeUnknown, "x").WithCause(errors.New("y")), 503, "urn:kontor:outcome-unknown", true},
		"contract 3.35":            {fault.New(fault.TooSlow, "x").WithCause(errors.New("y")), 503, "urn:kontor:query-too-slow", true},
		"an HTTP error":            {Error{Status: http.StatusMethodNotAllowed, Detail: "x"}, 405, "", false},
		"inside another error":     {fmt.Errorf("on the way: %w", fault.New(fault.NotFound, "x")), 404, "", false},
		"out of time":              {fmt.Errorf("on the way: %w", context.DeadlineExceeded), 503, "", true},
		"a defect":                 {errors.New("x"), 500, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			p, unexpected := Of(c.err)
			if c.kind == "" {
				c.kind = "about:blank"
			}
			if p.Status != c.status || p.Type != c.kind || unexpected != c.unexpected || p.Title != http.StatusText(c.status) {
				t.Errorf("it is %d %s (%s), unexpected: %v; want %d (%s), %v", p.Status, p.Title, p.Type, unexpected, c.status, c.kind, c.unexpected)
			}
			if p.Message != p.Detail || p.Detail == "" { // contract 3.1
				t.Errorf("the detail is %q and the message %q", p.Detail, p.Message)
			}
		})
	}
}

func TestProblemStatusesCoverEveryKindOfFault(t *testing.T) {
	for kind := fault.Unauthenticated; kind <= fault.OutcomeUnknown; kind++ {
		if statuses[kind] == 0 {
			t.Errorf("%s has none", kind)
		}
	}
}

// contract 3.6
func TestProblemHidesUnexpectedCauses(t *testing.T) {
	secret := "select kt_1 from tokens"
	for _, err := range []error{
		errors.New(secret),
		fault.New(fault.Unavailable, "try again").WithCause(errors.New(secret)),
		fmt.Errorf("%s: %w", secret, context.DeadlineExceeded),
	} {
		p, _ := Of(err)
		for _, body := range [][]byte{p.JSON(), p.XML()} {
			if strings.Contains(string(body), "select") || strings.Contains(string(body), "kt_1") {
				t.Errorf("%v becomes %s", err, body)
			}
		}
	}
}

// contract 3.1
func TestProblemJSON(t *testing.T) {
	p, _ := Of(fault.New(fault.NotFound, "there is no <deal> & no \"77\""))
	p.RequestID = "5f0c2a91"
	body := p.JSON()
	const detail = `"there is no <deal> & no \"77\""`
	want := `{"type":"about:blank","title":"Not Found","status":404,"code":"not_found","detail":` + detail + `,"message":` + detail + `,"request_id":"5f0c2a91"}`
	if diff := cmp.Diff(want, string(body)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// contract 3.4
func TestProblemXML(t *testing.T) {
	p, _ := Of(fault.New(fault.NotFound, "there is no <deal> & no 77"))
	p.RequestID = "5f0c2a91"
	body := p.XML()
	const detail = `there is no &lt;deal&gt; &amp; no 77`
	want := xml.Header + `<problem xmlns="urn:ietf:rfc:7807"><type>about:blank</type><title>Not Found</title><status>404</status><code>not_found</code>` +
		`<detail>` + detail + `</detail><message>` + detail + `</message><request_id>5f0c2a91</request_id></problem>`
	if diff := cmp.Diff(want, string(body)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// contract 3.3, 3.4, 12.101
func TestProblemNamesTheRuleOfEachField(t *testing.T) {
	p, _ := Of(fault.As(fault.ForField(fault.Conflict, "client_id", "owes too much")).ByRule("no-credit"))
	if want, body := `"errors":[{"field":"client_id","code":"rule","message":"owes too much","rule":"no-credit"}]`, string(p.JSON()); !strings.Contains(body, want) {
		t.Errorf("JSON is %s, want %s in it", body, want)
	}
	p, _ = Of(fault.As(fault.ForField(fault.Conflict, "name", "is short")).ByRule("long-names").About("deal", 7))
	if want, body := `{"field":"name","code":"rule","message":"is short","rule":"long-names","resource":"deal","record_id":7}`, string(p.JSON()); !strings.Contains(body, want) {
		t.Errorf("JSON is %s, want %s in it", body, want)
	}
	p, _ = Of(fault.New(fault.Forbidden, "no gifts").ByRule("no-gifts"))
	if want, body := `<errors><error><field></field><code>rule</code><message>no gifts</message><rule>no-gifts</rule></error></errors>`, string(p.XML()); !strings.Contains(body, want) {
		t.Errorf("XML is %s, want %s in it", body, want)
	}
}

// contract 3.3, 3.4
func TestProblem422ListsItsFields(t *testing.T) {
	fields := []fault.Field{{Name: "items[2].name", Message: "must not be empty"}, {Name: "a&b", Message: "<"}}
	for kind, code := range map[fault.Kind]string{fault.Invalid: "invalid", fault.Dangling: "not_found"} {
		p, _ := Of(fault.ForFields(kind, fields...))
		inJSON := p.JSON()
		if want := `"errors":[{"field":"items[2].name","code":"` + code + `","message":"must not be empty"},{"field":"a&b","code":"` + code + `","message":"<"}]}`; !strings.Contains(string(inJSON), want) {
			t.Errorf("JSON is %s, want it to end with %s", inJSON, want)
		}
		inXML := p.XML()
		if want := `<errors><error><field>items[2].name</field><code>` + code + `</code><message>must not be empty</message></error>` +
			`<error><field>a&amp;b</field><code>` + code + `</code><message>&lt;</message></error></errors></problem>`; !strings.Contains(string(inXML), want) {
			t.Errorf("XML is %s, want it to end with %s", inXML, want)
		}
	}
	p, _ := Of(fault.ForFields(fault.Malformed, fields...))
	if body := p.JSON(); strings.Contains(string(body), `"errors"`) {
		t.Errorf("a 400 names fields: %s", body)
	}
}

// contract 3.39
func TestEveryCodeIsKnownAndDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range Codes {
		if !bytes.Contains(page, []byte("`"+code+"`")) {
			t.Errorf("%s is not on the page on errors", code)
		}
	}
	for status, code := range statusCodes {
		p, _ := Of(Error{Status: status})
		if p.Code != string(code) {
			t.Errorf("%d has the code %q, want %q", status, p.Code, code)
		}
	}
	for code, err := range map[string]error{
		"internal": errors.New("x"), "unavailable": context.DeadlineExceeded, "frozen": fault.New(fault.Conflict, "x").Coded(fault.Frozen),
	} {
		if p, _ := Of(err); p.Code != code {
			t.Errorf("%v has the code %q, want %q", err, p.Code, code)
		}
	}
}
