package position_test

import (
	"testing"

	"github.com/kontor-crm/kontor/ports/position"
)

var encodings = map[string]position.Encoding{
	"of the default company": {},
	"of a company":           position.Encrypted(position.Secret{1}),
	"of another company":     position.Encrypted(position.Secret{2}),
}

func TestEncodingDecodesWhatItEncodes(t *testing.T) {
	t.Parallel()
	for name, e := range encodings {
		if got, err := e.Decode(e.Encode(of)); err != nil || got != of {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestEncodingRejectsOtherTexts(t *testing.T) {
	t.Parallel()
	for name, e := range encodings {
		text := e.Encode(of)
		for _, other := range []string{"", "0", text + "A", text[1:], e.Encode(position.Position{}), "0/3000148", "Ä" + text[2:]} {
			if got, err := e.Decode(other); err == nil {
				t.Errorf("%s: %q is %+v", name, other, got)
			}
		}
	}
}

// contract 14.50
func TestEncodingRejectsTextOfAnotherKey(t *testing.T) {
	t.Parallel()
	for name, e := range encodings {
		for other, text := range encodings {
			if got, err := e.Decode(text.Encode(of)); (err == nil) != (name == other) {
				t.Errorf("a position %s, decoded with the encoding %s: %+v, %v", other, name, got, err)
			}
		}
	}
}

// contract 14.50
func TestEncodingWithKeyHidesDistanceOfPositions(t *testing.T) {
	t.Parallel()
	e := encodings["of a company"]
	one, next := e.Encode(of), e.Encode(position.Position{System: of.System, Timeline: of.Timeline, WAL: of.WAL + 1})
	same := 0
	for i := range one {
		if one[i] == next[i] {
			same++
		}
	}
	const shared = 10 // the characters of the system identifier, and as many again by chance at most
	if same > 2*shared {
		t.Errorf("%q and %q have %d characters in common", one, next, same)
	}
}
