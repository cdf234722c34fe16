package gather

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// serve serves bodies of the size in the path, with a header of that many bytes more if the query has one.
func serve(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if header, err := strconv.Atoi(r.URL.RawQuery); err == nil {
			w.Header().Set("Link", strings.Repeat("l", header))
		}
		w.Header().Set("Content-Length", strconv.Itoa(size))
		if r.Method != http.MethodHead {
			Expect(r.Context(), size)
		}
		_, _ = w.Write(body(size))
	}))
	server.Listener = Listener(server.Listener)
	server.Config.ConnContext = ConnContext
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func body(size int) []byte { return bytes.Repeat([]byte("0123456789"), size/10+1)[:size] }

func TestResponsesOfAnySizeArriveOnOneConnection(t *testing.T) {
	t.Parallel()
	server := serve(t)
	sizes := []int{0, 1, 1 << 20}
	for size := 1900; size < 9000; size += 37 {
		sizes = append(sizes, size)
	}
	for size := 3800; size < 4100; size++ { // the header and the body just fit into the buffer
		sizes = append(sizes, size)
	}
	for _, size := range sizes {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			for _, header := range []string{"", "?5000"} {
				r, err := http.NewRequestWithContext(t.Context(), method, fmt.Sprint(server.URL, "/", size, header), http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				response, err := server.Client().Do(r)
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(response.Body)
				_ = response.Body.Close()
				want := body(size)
				if method == http.MethodHead {
					want = nil
				}
				if err != nil || !bytes.Equal(got, want) || response.ContentLength != int64(size) {
					t.Errorf("%s of %d bytes%s: %d bytes, %v", method, size, header, len(got), err)
				}
			}
		}
	}
}
