package query_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func fields(list string) query.Parameters {
	return query.Parameters{Fields: optional.Some(list)}
}

func parsed(t *testing.T, parser *query.Parser, params query.Parameters) *readmodel.Selection {
	t.Helper()
	s, err := parser.Select(params)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParserCachesSelectionsByAllParameters(t *testing.T) {
	all := []query.Parameters{
		{}, fields("id"), fields("id,name"), {Expand: optional.Some("")}, {Expand: optional.Some("user")}, {Record: true},
		{Counts: []string{"count_deals"}}, {Counts: []string{"count_deals", "count_offers"}},
		{Fields: optional.Some("id"), Expand: optional.Some("user")}, {Fields: optional.Some("id"), Record: true},
	}
	parser := query.NewParser(readmodel.Clients)
	selections := map[*readmodel.Selection]int{}
	for range 2 {
		for i, params := range all {
			s := parsed(t, parser, params)
			if other, ok := selections[s]; ok && other != i {
				t.Errorf("%+v has the selection of %+v", params, all[other])
			}
			selections[s] = i
		}
	}
	if len(selections) != len(all) {
		t.Errorf("%d different parameters, each parsed twice, have %d selections", len(all), len(selections))
	}
}

func TestParserCachesSorts(t *testing.T) {
	parser := query.NewParser(readmodel.Clients)
	var first, second []readmodel.Order
	for _, orders := range []*[]readmodel.Order{&first, &second} {
		var err error
		if *orders, err = parser.SortBy("-name"); err != nil {
			t.Fatal(err)
		}
	}
	if &first[0] != &second[0] {
		t.Error("a repeated sort is parsed again")
	}
	if diff := cmp.Diff([]readmodel.Order{down("name"), down("id")}, first); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestParserRepeatsErrors(t *testing.T) {
	parser := query.NewParser(readmodel.Clients)
	for range 2 {
		if s, err := parser.Select(fields("colour")); err == nil {
			t.Errorf("fields=colour is parsed as %+v", s)
		}
		if orders, err := parser.SortBy("colour"); err == nil {
			t.Errorf("sort=colour is parsed as %+v", orders)
		}
	}
}

// Requests with ever new or long parameters must not use up the memory.
func TestParserCacheIsBounded(t *testing.T) {
	parser := idParser()
	first := parsed(t, parser, fields("id"))
	for i := range 256 {
		parsed(t, parser, fields("id"+strings.Repeat(",", i+1)))
	}
	again := parsed(t, parser, fields("id"))
	if again == first {
		t.Error("the first of 257 selections is still cached")
	}
	if diff := cmp.Diff(first.Paths, again.Paths); diff != "" {
		t.Errorf("parsed again it differs: %s", diff)
	}
	commas := func(n int) string { return strings.Repeat(",", n) }
	for _, expand := range []int{0, 300} {
		for length, want := range map[int]bool{512: true, 513: false} {
			long := query.Parameters{Fields: optional.Some("id" + commas(length-expand-2)), Expand: optional.Some(commas(expand))}
			if s := parsed(t, parser, long); (s == parsed(t, parser, long)) != want {
				t.Errorf("the selection of parameters of %d bytes is cached: %v", length, !want)
			}
		}
	}
	clients := query.NewParser(readmodel.Clients)
	for length, want := range map[int]bool{512: true, 513: false} {
		first, err := clients.SortBy("id" + commas(length-2))
		second, _ := clients.SortBy("id" + commas(length-2))
		if err != nil || (&first[0] == &second[0]) != want {
			t.Errorf("%v: the sort of %d bytes is cached: %v", err, length, !want)
		}
	}
}

func TestParserIsSafeForConcurrentUse(t *testing.T) {
	parser := idParser()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 1000 {
				s, err := parser.Select(fields("id" + strings.Repeat(",", i%300)))
				if err != nil || len(s.Nodes) != 1 {
					t.Errorf("%v, %+v", err, s)
					return
				}
			}
		})
	}
	all.Wait()
}

func idParser() *query.Parser {
	return query.NewParser(&readmodel.Resource{Attributes: []readmodel.Attribute{{Name: "id", Kind: readmodel.ID}}})
}
