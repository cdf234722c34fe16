package postgres

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

func TestConnectionIsQuietUntilTheOtherSideSendsOrCloses(t *testing.T) {
	t.Parallel()
	for name, disturb := range map[string]func(other net.Conn) error{
		"sends":  func(other net.Conn) error { _, err := other.Write([]byte("E")); return err },
		"closes": net.Conn.Close,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, other := connected(t)
			if !isQuiet(conn) || !isQuiet(overTLS{conn}) {
				t.Error("a connection that was just opened is not quiet")
			}
			if err := disturb(other); err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(5 * time.Second); isQuiet(conn) && time.Now().Before(deadline); {
				time.Sleep(time.Millisecond)
			}
			if isQuiet(conn) || isQuiet(overTLS{conn}) {
				t.Errorf("a connection is quiet whose other side %s", name)
			}
			if got, err := io.ReadAll(io.LimitReader(conn, 1)); name == "sends" && (err != nil || string(got) != "E") {
				t.Errorf("what was sent is then read as %q, %v", got, err)
			}
		})
	}
	if pipe, _ := net.Pipe(); isQuiet(pipe) {
		t.Error("what is no socket is quiet")
	}
}

// pgx reads in the background while it writes much, and leaves the read pending.
func TestConnectionIsQuietDuringPendingRead(t *testing.T) {
	t.Parallel()
	conn, other := connected(t)
	read := make(chan error)
	go func() {
		_, err := conn.Read(make([]byte, 1))
		read <- err
	}()
	time.Sleep(10 * time.Millisecond) // until the read is pending
	quiet := make(chan bool, 1)
	go func() { quiet <- isQuiet(conn) }()
	select {
	case is := <-quiet:
		if !is {
			t.Error("a connection that reads is not quiet")
		}
	case <-time.After(10 * time.Second):
		t.Error("the check waits for the read")
	}
	if err := errors.Join(other.Close(), <-read); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// connected are the two sides of a connection.
func connected(t *testing.T) (one, other net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	if one, err = net.Dial("tcp", listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = one.Close() })
	if other, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	return one, other
}

// overTLS is like a tls.Conn.
type overTLS struct{ net.Conn }

func (o overTLS) NetConn() net.Conn { return o.Conn }
