package access

import "testing"

// BenchmarkAcceptToken is what recognising costs a request whose token was found
// good a moment ago, with as many callers at once as there are processors.
func BenchmarkAcceptToken(b *testing.B) {
	a, _, _ := begin()
	if _, err := a.Authenticate(b.Context(), "mine.good"); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := a.Authenticate(b.Context(), "mine.good"); err != nil {
				b.Error(err)
			}
		}
	})
}
