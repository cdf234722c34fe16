package readmodel_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// chosen asks for those fields.
func chosen(fields string) readmodel.Asking {
	return readmodel.Asking{Fields: optional.Some(fields)}
}

func asksFor(t *testing.T, table *readmodel.Resource, ask readmodel.Asking) *readmodel.Selection {
	t.Helper()
	s, err := table.Select(ask)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWhatIsAskedForAgainHasTheSameShape(t *testing.T) {
	asked := []readmodel.Asking{
		{}, chosen("id"), chosen("id,name"), {Expand: optional.Some("")}, {Expand: optional.Some("user")}, {Record: true},
		{Counts: []string{"count_deals"}}, {Counts: []string{"count_deals", "count_offers"}},
		{Fields: optional.Some("id"), Expand: optional.Some("user")}, {Fields: optional.Some("id"), Record: true},
	}
	shapes := map[*readmodel.Selection]int{}
	for range 2 {
		for i, ask := range asked {
			s := asksFor(t, readmodel.Clients, ask)
			if other, ok := shapes[s]; ok && other != i {
				t.Errorf("%+v has the shape of %+v", ask, asked[other])
			}
			shapes[s] = i
		}
	}
	if len(shapes) != len(asked) {
		t.Errorf("asked for %d shapes, and for each again, there are %d", len(asked), len(shapes))
	}
}

func TestARefusalIsNotRemembered(t *testing.T) {
	for range 2 {
		if s, err := readmodel.Clients.Select(chosen("colour")); err == nil {
			t.Errorf("there is a shape: %+v", s)
		}
	}
}

// Whoever asks for ever new shapes, or in long words, takes no memory for good.
func TestNotEveryShapeIsRemembered(t *testing.T) {
	names := &readmodel.Resource{Attributes: []readmodel.Attribute{{Name: "id", Kind: readmodel.ID}}}
	first := asksFor(t, names, chosen("id"))
	for i := range 256 {
		asksFor(t, names, chosen("id"+strings.Repeat(",", i+1)))
	}
	again := asksFor(t, names, chosen("id"))
	if again == first {
		t.Error("the first shape is still remembered")
	}
	if diff := cmp.Diff(first.Paths, again.Paths); diff != "" {
		t.Errorf("made anew it differs: %s", diff)
	}
	long := chosen("id" + strings.Repeat(",", 600))
	if said := asksFor(t, names, long); said == asksFor(t, names, long) {
		t.Error("what was asked for in many words is remembered")
	}
}

func TestManyMayAskForShapesAtOnce(t *testing.T) {
	names := &readmodel.Resource{Attributes: []readmodel.Attribute{{Name: "id", Kind: readmodel.ID}}}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 1000 {
				s, err := names.Select(chosen("id" + strings.Repeat(",", i%300)))
				if err != nil || len(s.Nodes) != 1 {
					t.Errorf("%v, %+v", err, s)
					return
				}
			}
		})
	}
	all.Wait()
}
