package httpapi

import (
	"strconv"
	"time"
)

// serverTiming is the header of an answer that says what it took, and of the
// request that asks for it, with any value. A parameter could not do that: it
// would stand in the addresses of Link.
const serverTiming = "Server-Timing"

// stamp writes into the headers of the answer, if they have not been sent, what can
// be known only then: that the connection is to be closed, as the service is stopping,
// and what the request has taken so far, if the caller has asked for it.
func (w *watched) stamp() {
	if w.Written() {
		return
	}
	if w.shutdown.HasBegun() {
		w.Header().Set("Connection", "close")
	}
	if !w.timed {
		return
	}
	w.timed = false
	total := time.Since(w.start)
	b := []byte("total;dur=")
	b = appendMilliseconds(b, total)
	b = appendMilliseconds(append(b, ", db;dur="...), w.seen.Database)
	b = strconv.AppendInt(append(b, `;desc="`...), int64(w.seen.Queries), 10)
	if w.seen.Queries == 1 {
		b = append(b, ` query"`...)
	} else {
		b = append(b, ` queries"`...)
	}
	b = appendMilliseconds(append(b, ", app;dur="...), total-w.seen.Database)
	w.Header().Set(serverTiming, string(b))
}

func appendMilliseconds(b []byte, d time.Duration) []byte {
	return strconv.AppendFloat(b, milliseconds(d), 'f', 3, 64)
}

// Write is the last moment at which a header can be set.
func (w *watched) Write(b []byte) (int, error) {
	w.stamp()
	return w.ResponseWriter.Write(b)
}

// WriteString is as Write.
func (w *watched) WriteString(s string) (int, error) {
	w.stamp()
	return w.ResponseWriter.WriteString(s)
}

// WriteHeaderNow sends the headers of an answer without a body.
func (w *watched) WriteHeaderNow() {
	w.stamp()
	w.ResponseWriter.WriteHeaderNow()
}
