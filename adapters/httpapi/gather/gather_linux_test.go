package gather

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

func TestResponseIsSentAtOnce(t *testing.T) {
	t.Parallel()
	server := serve(t)
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, size := range []int{100, 5000, 20_000} {
		before := segments(t, c)
		fmt.Fprintf(c, "GET /%d HTTP/1.1\r\nHost: x\r\n\r\n", size)
		rest := bytes.NewBuffer(nil)
		for !bytes.HasSuffix(rest.Bytes(), body(size)) {
			if _, err := io.CopyN(rest, c, 1); err != nil {
				t.Fatal(err)
			}
		}
		if n := segments(t, c) - before; n != 1 {
			t.Errorf("a body of %d bytes came in %d segments", size, n)
		}
	}
}

// segments returns how many segments with data the connection has received.
func segments(t *testing.T, c net.Conn) (n uint32) {
	t.Helper()
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		if err != nil {
			t.Error(err)
			return
		}
		n = info.Data_segs_in
	}); err != nil {
		t.Fatal(err)
	}
	return n
}
