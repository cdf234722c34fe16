package httpapi

import (
	"strconv"
	"time"
)

// serverTiming is the header with the duration of the request. A request asks for it
// with the same header and any value; a query parameter would be repeated in Link.
const serverTiming = "Server-Timing"

// stamp sets the headers that are only known when the response is sent: Connection
// during a shutdown, and Server-Timing on request.
func (w *observedWriter) stamp() {
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
	b = appendMilliseconds(append(b, ", db;dur="...), w.request.Database)
	b = strconv.AppendInt(append(b, `;desc="`...), int64(w.request.Queries), 10)
	if w.request.Queries == 1 {
		b = append(b, ` query"`...)
	} else {
		b = append(b, ` queries"`...)
	}
	b = appendMilliseconds(append(b, ", app;dur="...), total-w.request.Database)
	w.Header().Set(serverTiming, string(b))
}

func appendMilliseconds(b []byte, d time.Duration) []byte {
	return strconv.AppendFloat(b, float64(d.Microseconds())/1000, 'f', 3, 64)
}

func (w *observedWriter) Write(b []byte) (int, error) {
	w.stamp()
	return w.ResponseWriter.Write(b)
}

func (w *observedWriter) WriteString(s string) (int, error) {
	w.stamp()
	return w.ResponseWriter.WriteString(s)
}

// WriteHeaderNow stamps and sends the headers of a response without a body.
func (w *observedWriter) WriteHeaderNow() {
	w.stamp()
	w.ResponseWriter.WriteHeaderNow()
}
