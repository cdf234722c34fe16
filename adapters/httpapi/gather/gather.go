// Package gather sends a response in one system call.
//
// net/http passes on a response that does not fit into its buffer of 4 KiB in two parts: the header with
// the beginning of the body, and the rest. Each is a system call, and may wake the client. Here the
// connection keeps the first part, and sends it together with the second.
//
// Chose this because the size of that buffer is fixed: it saves a tenth of the CPU time of a list.
// Costs a connection that knows how long a response is. With TLS, both parts are sent as they come.
package gather

import (
	"bytes"
	"context"
	"net"
)

// Listener returns the listener with connections that can keep the first part of a response.
func Listener(l net.Listener) net.Listener { return listener{l} }

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &conn{TCPConn: tcp}, err
	}
	return c, err
}

type connKey struct{}

// ConnContext is that of an http.Server, so that Expect finds the connection.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*conn); ok {
		return context.WithValue(ctx, connKey{}, c)
	}
	return ctx
}

// Expect announces that a response with a body of this many bytes is about to be written, all of it by one
// Write. Nothing of it may have been written. ctx is that of the request.
func Expect(ctx context.Context, body int) {
	if c, ok := ctx.Value(connKey{}).(*conn); ok {
		c.body = body
	}
}

// conn is a connection that one goroutine writes to.
type conn struct {
	*net.TCPConn
	body int    // of the response that comes next; 0: not known
	kept []byte // its first part
}

func (c *conn) Write(p []byte) (int, error) {
	body := c.body
	c.body = 0
	switch {
	case len(c.kept) > 0:
		kept := len(c.kept)
		n, err := (&net.Buffers{c.kept, p}).WriteTo(c.TCPConn)
		c.kept = c.kept[:0]
		return max(int(n)-kept, 0), err
	case body > 0 && isFirstPart(p, body):
		c.kept = append(c.kept, p...)
		return len(p), nil
	}
	return c.TCPConn.Write(p)
}

// isFirstPart reports whether p has the whole header of the response, and not all of its body.
func isFirstPart(p []byte, body int) bool {
	const end = "\r\n\r\n"
	header := bytes.Index(p, []byte(end))
	return header >= 0 && len(p) < header+len(end)+body
}
