package httpapi

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 4.61
func TestStoredResponseRoundTrips(t *testing.T) {
	for name, want := range map[string]encodedResponse{
		"full": {
			Status: 200, Location: "http://x/rest/client/1", ContentType: contentTypeJSON, ETag: `"1-0a"`, Body: []byte("{}"),
		},
		"warnings":  {Status: 200, ContentType: contentTypeJSON, Warnings: "a, *chronology", Body: []byte("{}")},
		"any bytes": {Status: 201, ContentType: "x/y", Body: []byte{0, 0xff, '"', '\n'}},
		"no body":   {Status: 200, ETag: `"2-0"`, Body: []byte{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseStored(want.stored())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, *got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// A program reads what earlier ones have stored, also for records that had fewer attributes then.
//
// contract 4.61, 1.75
func TestStoredResponseOfAnEarlierProgramIsRead(t *testing.T) {
	const stored = "\x03\xc8\x01\x0e/rest/client/1\x1fapplication/json; charset=utf-8\x06\"1-0a\"\x01a{\"response\":{\"id\":1}}"
	want := encodedResponse{
		Status: 200, Location: "/rest/client/1", ContentType: contentTypeJSON, ETag: `"1-0a"`, Warnings: "a",
		Body: []byte(`{"response":{"id":1}}`),
	}
	got, err := parseStored([]byte(stored))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if string(want.stored()) != stored {
		t.Errorf("it is stored as %q: earlier programs, which may still serve, cannot read that", want.stored())
	}
}

func TestStoredResponseTruncatedOrOfAnotherVersionIsAnError(t *testing.T) {
	whole := encodedResponse{Status: 200, Location: "http://x/rest/client/1", ContentType: contentTypeJSON, ETag: `"1-0"`, Warnings: "a"}.stored()
	for length := range whole {
		if r, err := parseStored(whole[:length]); !errors.Is(err, errStoredResponse) {
			t.Errorf("of %d bytes, the first %d are read as %v, %v", len(whole), length, r, err)
		}
	}
	later := slices.Clone(whole)
	later[0] = storedVersion + 1
	if r, err := parseStored(later); !errors.Is(err, errStoredResponse) {
		t.Errorf("the next version is read as %v, %v", r, err)
	}
}
