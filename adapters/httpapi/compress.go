package httpapi

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

const (
	// minCompressed is the size, in bytes, from which a response is compressed.
	minCompressed = 1 << 10
	// compressedSuffix is at the end of the ETag of a compressed response.
	compressedSuffix = "-gzip"
)

// compressed compresses the responses for those who accept gzip.
//
// Chose: the fastest level. Because: it makes lists a sixth of their size already, 17 kB of 50 clients 3 kB and 173 kB of
// 500 clients 28 kB. Costs: 0.03 to 0.05 ms of a processor for 50 clients and 0.2 to 0.3 ms for 500, and a tenth of that
// size more than the default level.
func compressed(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressed), gzhttp.CompressionLevel(1), gzhttp.SuffixETag(compressedSuffix),
		gzhttp.EnableZstd(false))
	if err != nil {
		panic(err) // the options are valid
	}
	get := wrap(next)
	head := wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Method = http.MethodHead
		next.ServeHTTP(w, r)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead {
			get(w, r)
			return
		}
		asGet := *r // the library would leave the headers of HEAD as they are, and so with another ETag than those of GET
		asGet.Method = http.MethodGet
		head(w, &asGet)
	})
}
