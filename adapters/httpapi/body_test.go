package httpapi

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/httpapi/body"
	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
)

// contract 1.26, 2.29, 2.35
func TestBodyIsReadUpToItsLimit(t *testing.T) {
	api := &API{config: Config{MaxBody: 20}, inFlight: traffic.InFlight{Max: 1}}
	read := func(sent string) (body.Value, error) {
		r, err := http.NewRequest(http.MethodPost, "/", strings.NewReader(sent))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		c := &call{api: api, http: r, memory: api.memory.Reservation()}
		defer c.done()
		return api.readBody(c)
	}
	exact := `{"a":"` + strings.Repeat("x", 20-len(`{"a":""}`)) + `"}`
	if v, err := read(exact); err != nil || len(v.Fields) != 1 {
		t.Errorf("%d bytes: %v", len(exact), err)
	}
	_, err := read(exact + " ")
	if p, ok := errors.AsType[problem.Error](err); !ok || p.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("one more byte ended with %v, want 413", err)
	}
	if v, err := read(""); err != nil || v.Kind != body.Record || len(v.Fields) != 0 {
		t.Errorf("an empty body is %+v, %v; want an empty record", v, err)
	}
	if held := api.memory.Held(); held != 0 {
		t.Errorf("%d bytes are held after the requests", held)
	}
}
