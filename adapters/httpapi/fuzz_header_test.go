package httpapi

import (
	"encoding/base64"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/test/fuzzseed"
)

// contract 5.1, 5.2
func FuzzTokenOfRequest(f *testing.F) {
	fuzzseed.Add(f, []any{"", "", "", "", ""}, []any{"kt_1", "", "", "", ""}, []any{"", "kt_1", "kt_1", "", ""}, []any{"", "", "", "kt_1", ""}, []any{"", "", "", " kt_1 ", ""}, []any{"", "", "", "", "kt_1"}, []any{"kt_1", "kt_2", "", "", ""}, []any{"", "", "kt_1", "", "kt_2"}, []any{"\x00", "a b", "\xff", "ä", ":"})
	f.Fuzz(func(t *testing.T, authKey, parameter, header, bearer, basic string) {
		query := url.Values{"auth_key": {authKey}, "access-token": {parameter}}
		r := &http.Request{Header: http.Header{"Access-Token": {header}}}
		name, _, _ := strings.Cut(basic, ":")
		if bearer != "" {
			r.Header["Authorization"] = []string{"bEARER " + bearer}
			name = ""
		} else {
			r.Header["Authorization"] = []string{"Basic " + base64.StdEncoding.EncodeToString([]byte(name+":"+basic))}
		}
		carried := slices.DeleteFunc([]string{authKey, parameter, header, strings.TrimSpace(bearer), name}, func(s string) bool { return s == "" })
		slices.Sort(carried)
		carried = slices.Compact(carried)
		got, err := findToken(r, query)
		switch {
		case len(carried) > 1:
			if !fault.Is(err, fault.Unauthenticated) {
				t.Errorf("of %q it uses %+v, %v", carried, got, err)
			}
		case err != nil || got.inQuery != (authKey != "" || parameter != "") || got.token != strings.Join(carried, ""):
			t.Errorf("of %q it uses %+v, %v", carried, got, err)
		}
	})
}

var visible = regexp.MustCompile(`^[[:graph:]]{1,255}$`)

// contract 4.78
func FuzzIdempotencyKey(f *testing.F) {
	fuzzseed.Texts(f, "", "k", "a b", " ", "\t", "ä", "\x7f", "a,b", "!~", strings.Repeat("k", 255), strings.Repeat("k", 256))
	f.Fuzz(func(t *testing.T, key string) {
		c := &call{http: &http.Request{Header: http.Header{idempotencyKey: {key}}}, target: target{route: &route{path: "/rest/client"}}}
		got, err := c.idempotency()
		if isKey := visible.MatchString(key); isKey != (err == nil) || isKey && got.Key.Key != key || !isKey && !fault.Is(err, fault.Malformed) {
			t.Errorf("%q is %+v, %v", key, got, err)
		}
	})
}

func FuzzRequestID(f *testing.F) {
	fuzzseed.Texts(f, "", "a", "5f0c2a91", "a b", "ä", "\x00", strings.Repeat("x", 64), strings.Repeat("x", 65), "kt_0123456789ab_secret")
	f.Fuzz(func(t *testing.T, given string) {
		r := &http.Request{Header: http.Header{requestIDHeader: {given}}, URL: &url.URL{}}
		got := requestIDOf(r)
		if !visible.MatchString(got) || len(got) > 64 {
			t.Errorf("%q: the request ID is %q", given, got)
		}
		if isName := visible.MatchString(given) && len(given) <= 64; !isName && got == given {
			t.Errorf("the invalid request ID %q is used", given)
		}
	})
}

// contract 4.52
func FuzzIfNoneMatch(f *testing.F) {
	fuzzseed.Add(f, []any{`"3-5f0c2a91"`, `"3-5f0c2a91"`}, []any{`W/"3-5f0c2a91"`, `"3-5f0c2a91"`}, []any{`"1-a", "3-5f0c2a91"`, `"3-5f0c2a91"`}, []any{"*", `"3-a"`}, []any{`"3-a`, `"3-a"`}, []any{"", `"3-a"`}, []any{`W/W/"3-a"`, `"3-a"`})
	f.Fuzz(func(t *testing.T, header, tag string) {
		if !regexp.MustCompile(`^"\d+-[0-9a-f]+"$`).MatchString(tag) {
			return
		}
		want := regexp.MustCompile(`(^|,)\s*(\*|(W/)?` + tag + `)\s*(,|$)`).MatchString(header)
		if got := knownTag(tag, newGet("/", "If-None-Match", header)) != ""; got != want && isPlainSpaced(header) {
			t.Errorf("%s is known by %q: %v", tag, header, got)
		}
	})
}

// isPlainSpaced reports whether the text has no white space but ASCII spaces.
func isPlainSpaced(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > '~' || r < ' ' })
}

// contract 1.16, 1.22, 1.23
func FuzzBaseURL(f *testing.F) {
	fuzzseed.Add(f, []any{"https", "crm.example.org", true}, []any{"HTTPS, http", "a, b:81", true}, []any{"ftp", "a/b", true}, []any{"https", "evil", false}, []any{"", "", true}, []any{"http", "a@b", true}, []any{"http", "[::1]:80", true}, []any{"http", "a\r\nb", true}, []any{"http", ",", true})
	api := &API{config: Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}}
	word := regexp.MustCompile(`^[-A-Za-z0-9._:\[\]]+$`)
	last := func(list string) string { return strings.TrimSpace(list[strings.LastIndex(list, ",")+1:]) }
	f.Fuzz(func(t *testing.T, proto, host string, isTrusted bool) {
		r := &http.Request{Host: "here:8080", RemoteAddr: "192.0.2.1:4567", Header: http.Header{"X-Forwarded-Proto": {proto}, "X-Forwarded-Host": {host}}}
		wantScheme, wantHost := "http", "here:8080"
		if isTrusted {
			r.RemoteAddr = "10.1.2.3:4567"
			if strings.EqualFold(last(proto), "https") && isPlainSpaced(last(proto)) {
				wantScheme = "https"
			}
			if word.MatchString(last(host)) {
				wantHost = last(host)
			}
		}
		if got := api.base(r); got != wantScheme+"://"+wantHost {
			t.Errorf("%q and %q give %q", proto, host, got)
		}
	})
}

var linked = regexp.MustCompile(`^<([^<> "]*)>; rel="([a-z]+)"$`)

// contract 4.39, 4.84, 4.83
func FuzzLinkHeader(f *testing.F) {
	fuzzseed.Add(f, []any{int64(3000), int64(1), "name=a", "next+/", "prev=="}, []any{int64(0), int64(1), "", "", ""}, []any{int64(20), int64(2), "sort=-name&page=7&cursor=x", "", "p"}, []any{int64(21), int64(3), "a=>;rel=\"x\",<", "", ""}, []any{int64(5), int64(1<<62 - 1), "%zz", "\xff", "&="}, []any{int64(1<<63 - 1), int64(2), "a;b", "", ""})
	f.Fuzz(func(t *testing.T, total, number int64, query, next, prev string) {
		total, number = max(total, 0), min(max(number, 1), maxPage)
		rows := readmodel.NewRows(1)
		rows.Total, rows.Next, rows.Prev = total, next, prev
		page := readmodel.Page{Number: number, Size: 20}
		r := &http.Request{Host: "example.org", URL: &url.URL{Path: "/rest/client", RawQuery: query}}
		h := http.Header{}
		paginate(h, (&API{}).linker(&call{http: r}, tokenSource{}), page, rows)
		pages := map[string]string{}
		for link := range strings.SplitSeq(h.Get("Link"), ", ") {
			parts := linked.FindStringSubmatch(link)
			if parts == nil {
				t.Fatalf("%q has %q", h.Get("Link"), link)
			}
			u, err := url.Parse(parts[1])
			if _, twice := pages[parts[2]]; err != nil || u.Host != "example.org" || twice {
				t.Fatalf("%q leads to %v, %v", link, u, err)
			}
			pages[parts[2]] = u.Query().Get("page")
			cursor := map[string]string{"next": next, "prev": prev}[parts[2]]
			if u.Query().Get("page") == "1" {
				cursor = ""
			}
			if u.Query().Get("cursor") != cursor {
				t.Errorf("%s has another cursor than %q", link, cursor)
			}
		}
		if pages["first"] == "" && total > 0 || len(h.Get("Link")) > maxLinks/2 {
			return // the header was shortened
		}
		_, hasNext := pages["next"]
		_, hasPrev := pages["prev"]
		last := max(1, (total-1)/20+1)
		if hasNext != (number < last) || hasPrev != (number > 1 && total > 0) || pages["self"] == "" || pages["last"] == "" {
			t.Errorf("page %d of %d has %v", number, last, pages)
		}
	})
}
