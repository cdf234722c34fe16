package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Request is one request as it is sent.
type Request struct {
	Method, URI, Body string
}

// caller is one connection that is kept alive. It does as little as can be: what it takes is taken
// from the servers that are measured on the same machine.
type caller struct {
	conn   net.Conn
	in     *bufio.Reader
	out    []byte
	header string
	sent   int
}

func dial(address, token string) (*caller, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &caller{
		conn: conn, in: bufio.NewReaderSize(conn, 1<<15),
		header: " HTTP/1.1\r\nHost: " + address + "\r\nAuthorization: Bearer " + token + "\r\nAccept: application/json\r\n",
	}, nil
}

func (c *caller) close() { c.conn.Close() }

// Requests that are answered by nobody end after the timeout, which is set for some of them together.
const (
	timeout  = 2 * time.Minute
	together = 128
)

// send sends the request and reads the answer, whose body it hands over if keep is not nil.
func (c *caller) send(r Request, keep *[]byte) error {
	if c.sent++; c.sent%together == 1 {
		if err := c.conn.SetDeadline(time.Now().Add(timeout)); err != nil {
			return err
		}
	}
	c.out = append(append(append(append(c.out[:0], r.Method...), ' '), r.URI...), c.header...)
	if r.Method != http.MethodGet {
		c.out = append(c.out, "Content-Type: application/json\r\nContent-Length: "...)
		c.out = append(strconv.AppendInt(c.out, int64(len(r.Body)), 10), "\r\n"...)
	}
	c.out = append(append(c.out, "\r\n"...), r.Body...)
	if _, err := c.conn.Write(c.out); err != nil {
		return err
	}
	status, length, err := readHead(c.in)
	if err != nil {
		return err
	}
	if status == 200 && keep == nil {
		_, err = c.in.Discard(length)
		return err
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(c.in, body); err != nil {
		return err
	}
	if status != 200 {
		return fmt.Errorf("%s %s: status %d: %s", r.Method, r.URI, status, body)
	}
	*keep = body
	return nil
}

var errAnswer = errors.New("unknown form of an answer")

// readHead reads the head of an answer.
func readHead(in *bufio.Reader) (status, length int, err error) {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return 0, 0, err
	}
	if len(line) < 12 {
		return 0, 0, errAnswer
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, 0, errAnswer
	}
	length = -1
	for {
		if line, err = in.ReadSlice('\n'); err != nil {
			return 0, 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		const name = "content-length:"
		if len(line) > len(name) && strings.EqualFold(string(line[:len(name)]), name) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(name):]))); err != nil {
				return 0, 0, errAnswer
			}
		}
	}
	if length < 0 {
		return 0, 0, errAnswer // both servers tell how long an answer is
	}
	return status, length, nil
}
