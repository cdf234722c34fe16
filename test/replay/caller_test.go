package replay

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// answers are given to one request after the other, without a network.
type answers []*http.Response

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	if len(*a) == 0 {
		return nil, errors.New("one request too many")
	}
	next := (*a)[0]
	*a = (*a)[1:]
	next.Request = r
	return next, nil
}

func answer(status int, header, value, body string) *http.Response {
	return &http.Response{
		StatusCode: status,
		Status:     http.StatusText(status),
		Header:     http.Header{http.CanonicalHeaderKey(header): {value}},
		Body:       io.NopCloser(strings.NewReader(body)),
	}
}

func callerOf(given *answers) *Caller {
	return &Caller{base: "http://kontor", token: "t", http: &http.Client{Transport: given}}
}

func TestARequestThatIsTurnedAwayIsSentAgainWhenTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		given := &answers{
			answer(http.StatusTooManyRequests, "Retry-After", "3", `{}`),
			answer(http.StatusServiceUnavailable, "Retry-After", "", `{"type":"about:blank"}`),
			answer(http.StatusOK, "Content-Type", "application/json", `{"response":{"id":7}}`),
		}
		start := time.Now()
		id, err := callerOf(given).create(t.Context(), "/rest/client", fields{"name": "A"})
		if err != nil || id != 7 {
			t.Errorf("the answer is %d, %v; want id 7", id, err)
		}
		if waited := time.Since(start); waited != 4*time.Second {
			t.Errorf("waited %s, want 3 s as told and 1 s untold", waited)
		}
	})
}

func TestARequestThatIsAlwaysTurnedAwayFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		given := &answers{}
		for range attempts {
			*given = append(*given, answer(http.StatusTooManyRequests, "Retry-After", "3600", `{"detail":"too fast"}`))
		}
		start := time.Now()
		_, err := callerOf(given).create(t.Context(), "/rest/client", nil)
		if err == nil || !strings.Contains(err.Error(), "too fast") {
			t.Errorf("the error is %v, want the last answer's", err)
		}
		if waited, want := time.Since(start), (attempts-1)*longestWait; waited != want {
			t.Errorf("waited %s, want %s", waited, want)
		}
	})
}

func TestAWriteOfUnknownOutcomeIsNotSentAgain(t *testing.T) {
	given := &answers{
		answer(http.StatusServiceUnavailable, "Retry-After", "1", `{"type":"urn:kontor:outcome-unknown"}`),
		answer(http.StatusOK, "Content-Type", "application/json", `{"response":{"id":7}}`),
	}
	if _, err := callerOf(given).create(t.Context(), "/rest/client", nil); err == nil {
		t.Error("no error")
	}
	if len(*given) != 1 {
		t.Error("the write was sent twice")
	}
}

func page(total, link, body string) *http.Response {
	r := answer(http.StatusOK, "Link", link, body)
	r.Header.Set("X_Pagination_Total_Count", total)
	return r
}

func walkClients(t *testing.T, given *answers) (names []string, total int, err error) {
	t.Helper()
	total, err = walk(t.Context(), callerOf(given), "/rest/client", url.Values{}, func(row clientRow) {
		names = append(names, row.Name)
	})
	return names, total, err
}

const moreToCome = `<http://kontor/rest/client?fields=a,b&page=1>; rel="self", <http://kontor/rest/client?fields=a,b&page=2>; rel="next"`

func TestAListIsReadToTheEndOfItsLinks(t *testing.T) {
	names, total, err := walkClients(t, &answers{
		page("3", moreToCome, `{"response":{"items":[{"name":"A"},{"name":"B"}]}}`),
		page("3", `<http://kontor/rest/client?page=2>; rel="last"`, `{"response":{"items":[{"name":"C"}]}}`),
	})
	if err != nil || total != 3 || !slices.Equal(names, []string{"A", "B", "C"}) {
		t.Errorf("got %q of %d, %v; want A, B, C of 3", names, total, err)
	}
}

func TestPagesThatContradictEachOtherAreAnError(t *testing.T) {
	tests := []struct {
		name, want string
		second     *http.Response
	}{
		{"another total", "before it was 1", page("2", "", `{"response":{"items":[]}}`)},
		{"no total", "the total count", page("", "", `{"response":{"items":[]}}`)},
		{"more rows than the total", "2 rows", page("1", moreToCome, `{"response":{"items":[{"name":"B"}]}}`)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := walkClients(t, &answers{page("1", moreToCome, `{"response":{"items":[{"name":"A"}]}}`), test.second})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestWorkIsDoneOnceEachAndStopsAtTheFirstError(t *testing.T) {
	items := make([]int, 1000)
	for i := range items {
		items[i] = i
	}
	var sum atomic.Int64
	if err := Parallel(t.Context(), 7, items, func(_ context.Context, i int) error { sum.Add(int64(i)); return nil }); err != nil {
		t.Fatal(err)
	}
	if sum.Load() != 999*1000/2 {
		t.Errorf("the items sum up to %d, want %d", sum.Load(), 999*1000/2)
	}
	broken := errors.New("broken")
	var calls atomic.Int64
	err := Parallel(t.Context(), 7, items, func(ctx context.Context, i int) error {
		if calls.Add(1); i == 10 {
			return broken
		}
		if i > 10 {
			<-ctx.Done() // as a request would, when another has failed
		}
		return ctx.Err()
	})
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v, want the first one", err)
	}
	if calls.Load() > 30 {
		t.Errorf("%d items were begun, want few after the failure", calls.Load())
	}
}
