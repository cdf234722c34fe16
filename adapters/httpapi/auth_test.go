package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
)

func TestTokenIsReadFromEveryPlace(t *testing.T) {
	for name, c := range map[string]struct {
		r       *http.Request
		want    string
		inQuery bool
	}{
		"contract 5.1, auth_key":                  {newGet("/rest/x?auth_key=kt_1"), "kt_1", true},
		"contract 5.1, access-token in the query": {newGet("/rest/x?access-token=kt_1"), "kt_1", true},
		"contract 5.1, header access-token":       {newGet("/rest/x", "access-token", "kt_1"), "kt_1", false},
		"contract 5.1, Bearer":                    {newGet("/rest/x", "Authorization", "Bearer kt_1"), "kt_1", false},
		"contract 5.1, Bearer in any case":        {newGet("/rest/x", "Authorization", "bearer  kt_1 "), "kt_1", false},
		"contract 5.1, Basic":                     {withBasic(newGet("/rest/x"), "kt_1", "secret"), "kt_1", false},
		"contract 5.1, Basic without a password":  {withBasic(newGet("/rest/x"), "kt_1", ""), "kt_1", false},
		"escaped":                                 {newGet("/rest/x?auth%5Fkey=kt%5F1"), "kt_1", true},
		"the same in several places":              {withBasic(newGet("/rest/x?access-token=kt_1&auth_key=kt_1", "access-token", "kt_1"), "kt_1", ""), "kt_1", true},
		"an empty one is ignored":                 {newGet("/rest/x?auth_key=&access-token=", "access-token", "kt_1"), "kt_1", false},
		"another scheme is ignored":               {newGet("/rest/x", "Authorization", "Digest kt_1"), "", false},
		"a scheme alone is ignored":               {newGet("/rest/x", "Authorization", "Bearer"), "", false},
		"a parameter of another name":             {newGet("/rest/x?AUTH_KEY=kt_1&access_token=kt_1"), "", false},
		"no token":                                {newGet("/rest/x"), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := findToken(c.r, c.r.URL.Query())
			if want := (tokenSource{token: c.want, inQuery: c.inQuery}); err != nil || got != want {
				t.Errorf("got %+v, %v; want %+v", got, err, want)
			}
		})
	}
}

// contract 5.2
func TestTokensThatDifferAreRejected(t *testing.T) {
	for name, r := range map[string]*http.Request{
		"both parameters":           newGet("/rest/x?auth_key=kt_1&access-token=kt_2"),
		"a parameter twice":         newGet("/rest/x?auth_key=kt_1&auth_key=kt_2"),
		"query and header":          newGet("/rest/x?auth_key=kt_1", "access-token", "kt_2"),
		"both headers":              newGet("/rest/x", "access-token", "kt_1", "Authorization", "Bearer kt_2"),
		"a header twice":            newGet("/rest/x", "access-token", "kt_1", "access-token", "kt_2"),
		"Authorization twice":       newGet("/rest/x", "Authorization", "Bearer kt_1", "Authorization", "Bearer kt_2"),
		"Basic and the query":       withBasic(newGet("/rest/x?access-token=kt_2"), "kt_1", ""),
		"the last equals the first": newGet("/rest/x?auth_key=kt_1&auth_key=kt_2&access-token=kt_1"),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := findToken(r, r.URL.Query()); !fault.Is(err, fault.Unauthenticated) {
				t.Errorf("got error %v, want one of kind %s", err, fault.Unauthenticated)
			}
		})
	}
}

func withBasic(r *http.Request, name, password string) *http.Request {
	r.SetBasicAuth(name, password)
	return r
}

// contract 5.98
func TestMissingTokenIsExplained(t *testing.T) {
	for authorization, want := range map[string]string{
		"":         "a token is needed: send it as Authorization: Bearer, or as auth_key",
		"kt_1":     "Authorization lacks the scheme Bearer: it must be Bearer, a space and the token",
		"Token kt": "Authorization lacks the scheme Bearer: it must be Bearer, a space and the token",
	} {
		w, _ := do(newGet("/rest/user", "Authorization", authorization), noRows)
		if w.Code != http.StatusUnauthorized || !strings.Contains(w.Body.String(), `"detail":"`+want+`"`) {
			t.Errorf("Authorization: %s: got %d, %s", authorization, w.Code, w.Body)
		}
	}
}
