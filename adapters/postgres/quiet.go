package postgres

import (
	"errors"
	"net"
	"syscall"
)

// isQuiet reports whether the other side of the connection has neither closed it nor sent anything. It
// looks only at what has arrived, and does not wait.
//
// Chose this over PgConn.CheckConn, because that waits for a millisecond. Costs a system call.
func isQuiet(conn net.Conn) bool {
	if over, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS
		conn = over.NetConn()
	}
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	var peeked error
	// Not by Read, which would wait for a read that pgx has left behind in the background.
	err = raw.Control(func(fd uintptr) {
		_, _, peeked = syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	})
	return err == nil && errors.Is(peeked, syscall.EAGAIN)
}
