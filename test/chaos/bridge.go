package chaos

import (
	"io"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
)

// bridge forwards connections to another address.
type bridge struct {
	net.Listener

	network, address string

	mu     sync.Mutex
	open   map[net.Conn]bool // of the clients
	resets bool
}

// database returns the address of a database, which may be a socket in a folder.
func database(config *pgx.ConnConfig) (network, address string) {
	if strings.HasPrefix(config.Host, "/") {
		return "unix", filepath.Join(config.Host, ".s.PGSQL."+strconv.Itoa(int(config.Port)))
	}
	return "tcp", net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
}

func bridgeTo(network, address string) (*bridge, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &bridge{Listener: l, network: network, address: address, open: map[net.Conn]bool{}}
	go b.run()
	return b, nil
}

func (b *bridge) run() {
	for {
		near, err := b.Accept()
		if err != nil {
			return // closed
		}
		if !b.accepts(near) {
			continue
		}
		far, err := net.Dial(b.network, b.address)
		if err != nil {
			b.drop(near)
			continue
		}
		go b.pass(near, far, near)
		go b.pass(far, near, near)
	}
}

// accepts registers the connection, or resets it.
func (b *bridge) accepts(near net.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.resets {
		reset(near)
		return false
	}
	b.open[near] = true
	return true
}

func (b *bridge) drop(near net.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	near.Close()
	delete(b.open, near)
}

// pass copies until one end closes, and closes both.
func (b *bridge) pass(from, to, near net.Conn) {
	_, _ = io.Copy(to, from)
	from.Close()
	to.Close()
	b.drop(near)
}

// setResets switches on or off that all present and future connections are reset.
func (b *bridge) setResets(on bool) { //nolint:revive // a setter
	b.mu.Lock()
	defer b.mu.Unlock()
	b.resets = on
	if !on {
		return
	}
	for near := range b.open {
		reset(near)
	}
}

// reset has the kernel send a reset instead of an ordinary end.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	c.Close()
}
