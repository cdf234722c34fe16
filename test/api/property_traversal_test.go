package api_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/text/cases"        //nolint:depguard // the order of texts is worked out here once more
	"golang.org/x/text/unicode/norm" //nolint:depguard // the same
	"pgregory.net/rapid"
)

// contract 4.11, 4.13, 4.14, 4.15, 4.16, 4.17, 4.19, 4.20, 4.21, 4.22, 4.23, 4.24, 4.25, 4.26, 4.27, 4.30, 4.32, 4.33, 4.34, 4.35
// contract 4.36, 4.39, 4.40, 4.41, 4.43, 4.44, 4.45, 4.46, 4.47, 4.48, 4.49, 5.6, 7.12, 7.27, 8.3, 8.4, 8.5, 9.16, 9.19, 9.21
// contract 9.22, 9.23, 10.90, 10.91, 10.92, 10.93, 10.94, 10.95, 10.101
func TestPropertyListTraversalVisitsEachRecordOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	lists := stocked(t, s)
	if s.count("read_model_state", "lists_ready and search_ready") == 0 {
		t.Error("what lists are read from is missing, so that they are walked through without it")
	}
	for _, l := range lists {
		t.Run(strings.TrimPrefix(l.path, "/rest/"), rapid.MakeCheck(func(t *rapid.T) { l.walked(t, s) }))
	}
}

// contract 4.87
func TestPropertyListTraversalWithoutReadModels(t *testing.T) {
	t.Parallel()
	s := start(t)
	lists := stocked(t, s)
	s.unready()
	rapid.Check(t, func(t *rapid.T) {
		counted := []string{"/rest/client", "/rest/deal", "/rest/offer", "/rest/contract", "/rest/invoice", "/rest/invoice-items"}
		path := rapid.SampledFrom(counted).Draw(t, "list")
		lists[slices.IndexFunc(lists, func(l *list) bool { return l.path == path })].walked(t, s)
	})
}

// walked goes through the pages of the list, drawing how.
func (l *list) walked(t *rapid.T, s *service) {
	query, chosen := l.ask(t)
	from, in := l.path+"?"+query.Encode(), s.within(t)
	w := walk{caller: in.as("viewer"), wanted: l.sorted(l.narrowed(chosen), query.Get("sort")), whole: query.Get("fields") == ""}
	if rapid.Bool().Draw(t, "token in the query") {
		from, w.caller, w.token = from+"&auth_key="+s.tokens["viewer"], in.nobody(), s.tokens["viewer"]
	}
	if w.perPage = l.pageSize(t, query); w.perPage == 0 {
		w.takesAll(from)
		return
	}
	number := rapid.IntRange(1, w.last()+2).Draw(t, "page")
	w.walks(number, fmt.Sprintf("%s&page=%d", from, number))
}

// list is a list of the service with all that is in it, as the test knows it.
type list struct {
	path        string
	records     []stored
	sorts       map[string]kind
	defaultSort string
	perPage     int  // by default; 0: the list has no pages
	pagesAsked  bool // it has them only if the request says so
	filters     []filter
	must        filter // the one that it cannot do without, if there is one
}

// stored is a record.
type stored struct {
	shown  map[string]any // as the list shows it
	hidden map[string]any // what else it can be filtered by
	keys   map[string]any // what it sorts by, by attribute: nil, a *big.Rat or a string
}

// kind says how an attribute sorts.
type kind int

const (
	figure  kind = iota // by value, smallest first
	words               // by key
	instant             // earliest first
	newest              // latest first
)

// filter is a way to narrow a list: it draws the parameters and says what they keep.
type filter func(t *rapid.T) (query map[string]string, keeps func(stored) bool)

// ask draws filters, a sort and a size of pages.
func (l *list) ask(t *rapid.T) (url.Values, []func(stored) bool) {
	query := url.Values{}
	var chosen []func(stored) bool
	choose := func(f filter) {
		parameters, keeps := f(t)
		for name, value := range parameters {
			query.Set(name, value)
		}
		chosen = append(chosen, keeps)
	}
	for i, f := range l.filters {
		if rapid.IntRange(0, len(l.filters)+1).Draw(t, fmt.Sprintf("filter %d", i)) < 2 {
			choose(f)
		}
	}
	if l.must != nil {
		choose(l.must)
	}
	names := slices.Sorted(maps.Keys(l.sorts))
	if sort := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "-"}).Draw(t, "direction") + rapid.SampledFrom(names).Draw(t, "attribute")
	}), 0, 4).Draw(t, "sort"); len(sort) > 0 {
		query.Set("sort", strings.Join(sort, ","))
	}
	if rapid.Bool().Draw(t, "only ids") {
		query.Set("fields", "id")
	}
	// Eight pages at most, or as many as there are by default.
	if n := len(l.narrowed(chosen)); rapid.Bool().Draw(t, "size given") {
		query.Set("per_page", fmt.Sprint(rapid.IntRange(max(1, n/8), n+1).Draw(t, "per_page")))
	}
	return query, chosen
}

// pageSize is the size of the pages that the request is to get; 0: it is to get
// all at once.
func (l *list) pageSize(t *rapid.T, query url.Values) int {
	given, err := strconv.Atoi(query.Get("per_page"))
	switch {
	case err == nil && l.perPage > 0:
		return given
	case l.pagesAsked && rapid.Bool().Draw(t, "no page"):
		return 0
	}
	return l.perPage
}

func (l *list) narrowed(chosen []func(stored) bool) []stored {
	var kept []stored
	for _, r := range l.records {
		if !slices.ContainsFunc(chosen, func(keeps func(stored) bool) bool { return !keeps(r) }) {
			kept = append(kept, r)
		}
	}
	return kept
}

// sorted is the records in the order of the sort parameter, the last resort
// being the id in the direction of the last attribute.
func (l *list) sorted(records []stored, sort string) []stored {
	type step struct {
		name string
		sign int
	}
	var steps []step
	for name := range strings.SplitSeq(cmp.Or(sort, l.defaultSort), ",") {
		name, minus := strings.CutPrefix(name, "-")
		sign := 1
		if minus != (l.sorts[name] == newest) {
			sign = -1
		}
		steps = append(steps, step{name, sign})
	}
	steps = append(steps, step{"id", steps[len(steps)-1].sign})
	return slices.SortedFunc(slices.Values(records), func(a, b stored) int {
		for _, by := range steps {
			if c := by.sign * compareKeys(a.keys[by.name], b.keys[by.name]); c != 0 {
				return c
			}
		}
		return 0
	})
}

// compareKeys puts what is missing behind everything else.
func compareKeys(a, b any) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	if n, ok := a.(*big.Rat); ok {
		return n.Cmp(b.(*big.Rat))
	}
	return strings.Compare(a.(string), b.(string))
}

// folded is the form of a text that sorts and matches.
func folded(s string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}

// walk goes through the pages of a list and knows what has to be on them.
type walk struct {
	caller  *caller
	token   string // the one in the query; "" if there is none
	wanted  []stored
	perPage int
	whole   bool // the records are shown with all their fields
}

// last is the number of the last page, which even an empty list has.
func (w walk) last() int { return max(1, w.pages()) }

func (w walk) pages() int { return (len(w.wanted) + w.perPage - 1) / w.perPage }

// takesAll reads a list that has no pages.
func (w walk) takesAll(address string) {
	w.caller.s.t.Helper()
	r := w.caller.get(address)
	w.shows(r, w.wanted)
	if r.header.Get("Link") != "" || r.header.Get("X-Pagination-Total-Count") != "" {
		w.caller.s.t.Errorf("%s: a list without pages has headers of pages", r.what)
	}
}

// walks reads the page of that number, goes to the first one by prev, and from
// there to the last by next.
func (w walk) walks(number int, address string) {
	t := w.caller.s.t
	t.Helper()
	links := w.page(address, number)
	for links["prev"] != "" {
		number = min(number-1, w.last())
		links = w.page(links["prev"], number)
	}
	if len(w.wanted) == 0 {
		return // there is no way out of it, and no need for one
	}
	if number != 1 {
		t.Fatalf("%s: the way back ends at page %d", address, number)
	}
	for links["next"] != "" {
		number++
		links = w.page(links["next"], number)
	}
	if number != w.last() {
		t.Fatalf("%s: the way ends at page %d of %d", address, number, w.last())
	}
}

// page reads a page and gives the way on from it.
func (w walk) page(address string, number int) map[string]string {
	t := w.caller.s.t
	t.Helper()
	r := w.caller.get(address)
	from := min((number-1)*w.perPage, len(w.wanted))
	w.shows(r, w.wanted[from:min(from+w.perPage, len(w.wanted))])
	for name, want := range map[string]int{
		"Total-Count": len(w.wanted), "Page-Count": w.pages(), "Current-Page": number, "Per-Page": w.perPage,
	} {
		for _, header := range []string{"X-Pagination-" + name, "X_Pagination_" + strings.ReplaceAll(name, "-", "_")} {
			if got := r.header.Get(header); got != fmt.Sprint(want) {
				t.Errorf("%s: %s is %s, want %d", r.what, header, got, want)
			}
		}
	}
	w.leads(r, number)
	return r.links()
}

// leads checks the addresses on a page.
func (w walk) leads(r *reply, number int) {
	t := w.caller.s.t
	t.Helper()
	links := r.links()
	if links["self"] == "" || links["last"] == "" {
		t.Errorf("%s: there are only the links %v", r.what, links)
	}
	leadsTo := map[string]int{"self": number, "first": 1, "prev": min(number-1, w.last()), "next": number + 1, "last": w.last()}
	for rel, address := range links {
		to, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		query := to.Query()
		if want := []string{fmt.Sprint(leadsTo[rel])}; !slices.Equal(query["page"], want) {
			t.Errorf("%s: %s is %s, want page %v", r.what, rel, address, want)
		}
		if query.Get("access-token") != w.token || query.Has("auth_key") || w.token == "" && strings.Contains(address, "kt_") {
			t.Errorf("%s: %s is %s, yet the token of the query is %q", r.what, rel, address, w.token)
		}
	}
}

func (w walk) shows(r *reply, wanted []stored) {
	t := w.caller.s.t
	t.Helper()
	want := make([]string, len(wanted))
	for i, record := range wanted {
		want[i] = text(record.shown["id"])
	}
	if got := r.wants(http.StatusOK).column("id"); !slices.Equal(got, want) {
		t.Fatalf("%s: got  %v\nwant %v", r.what, got, want)
	}
	if !w.whole {
		return
	}
	for i, got := range r.items() {
		if diff := gocmp.Diff(wanted[i].shown, got); diff != "" {
			t.Fatalf("%s: a record is not shown as it was before: %s", r.what, diff)
		}
	}
}
