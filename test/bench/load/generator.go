package load

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

type request struct{ method, path, body string }

// connection is a keep-alive connection. It does without http.Client, whose work would slow down the servers on
// the same machine.
type connection struct {
	conn   net.Conn
	reader *bufio.Reader
	header string
	buffer []byte
}

func dial(t *target) (*connection, error) { return dialAs(t, t.token) }

// dialAs opens a connection whose requests carry the token.
func dialAs(t *target, token string) (*connection, error) {
	conn, err := net.Dial("tcp", t.address)
	if err != nil {
		return nil, err
	}
	return &connection{
		conn: conn, reader: bufio.NewReaderSize(conn, 1<<15),
		header: " HTTP/1.1\r\nHost: " + t.address + "\r\nAuthorization: Bearer " + token +
			"\r\nAccept: application/json\r\nContent-Type: application/json\r\nContent-Length: ",
	}, nil
}

// send sends a request and returns the body of its response. Any status but 200 is an error.
func (c *connection) send(r request, body io.Writer) error {
	var failed bytes.Buffer
	status, err := c.exchange(r, body, &failed)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s %s: %d: %s", r.method, r.path, status, &failed)
	}
	return err
}

// exchange sends a request and returns the status of its response, and the body: separately if it is not a 200.
func (c *connection) exchange(r request, body, failed io.Writer) (status int, err error) {
	c.buffer = append(append(append(append(c.buffer[:0], r.method...), ' '), r.path...), c.header...)
	c.buffer = append(append(strconv.AppendInt(c.buffer, int64(len(r.body)), 10), "\r\n\r\n"...), r.body...)
	if _, err := c.conn.Write(c.buffer); err != nil {
		return 0, err
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body = failed
	}
	_, err = io.Copy(body, response.Body)
	return response.StatusCode, err
}

// Sample is what a target did in one round, or the medians of several.
type Sample struct {
	Rate        float64 // requests per second
	P50, P99    float64 // milliseconds
	CPU         float64 // microseconds of the server's CPU time per request
	ProxyCPU    float64 `json:",omitempty"` // the same of the proxy in front
	DatabaseCPU float64 // the same of PostgreSQL; 0 if it is not on this machine
	MemoryMB    float64 // largest resident set since the server was started
}

// dialAll opens n connections. With an error it returns those that it opened.
func dialAll(t *target, n int) (open []*connection, err error) {
	for range n {
		c, err := dial(t)
		if err != nil {
			return open, err
		}
		open = append(open, c)
	}
	return open, nil
}

func closeAll(open []*connection) {
	for _, c := range open {
		_ = c.conn.Close()
	}
}

// round sends the requests of a kind over that many connections, each sending the next one after the response.
func round(ctx context.Context, t *target, k *Kind, connections int, d time.Duration, share int) (Sample, error) {
	next := k.sequence(t, share)
	open, err := dialAll(t, connections)
	defer closeAll(open)
	if err != nil {
		return Sample{}, err
	}
	latencies, failures := make([][]time.Duration, connections), make([]error, connections)
	cpuBefore, proxyBefore, databaseBefore := t.processorTime(), processorTime(t.proxy), ProcessorTimeOfTree(t.postmaster)
	start := time.Now()
	var running sync.WaitGroup
	for i, c := range open {
		running.Go(func() { latencies[i], failures[i] = c.sendUntil(ctx, start.Add(d), i, next) })
	}
	running.Wait()
	took := time.Since(start)
	cpu, proxyCPU, databaseCPU := t.processorTime()-cpuBefore, processorTime(t.proxy)-proxyBefore, ProcessorTimeOfTree(t.postmaster)-databaseBefore
	if err := errors.Join(failures...); err != nil {
		return Sample{}, fmt.Errorf("%s: %w", t.name, err)
	}
	sorted := slices.Concat(latencies...)
	if len(sorted) == 0 {
		return Sample{}, fmt.Errorf("%s: no request was sent: no words are left", k.Name)
	}
	s := latenciesOf(sorted, took)
	n := float64(len(sorted))
	s.CPU, s.ProxyCPU, s.DatabaseCPU = microseconds(cpu)/n, microseconds(proxyCPU)/n, microseconds(databaseCPU)/n
	s.MemoryMB = MemoryMB(t.pid, PeakResident)
	return s, nil
}

// latenciesOf is the sample of the latencies, in a round that took so long.
func latenciesOf(latencies []time.Duration, took time.Duration) Sample {
	slices.Sort(latencies)
	if len(latencies) == 0 {
		return Sample{}
	}
	return Sample{
		Rate: float64(len(latencies)) / took.Seconds(),
		P50:  milliseconds(Quantile(latencies, 0.5)), P99: milliseconds(Quantile(latencies, 0.99)),
	}
}

// sendUntil sends one request after the other until the end, at least one.
func (c *connection) sendUntil(ctx context.Context, end time.Time, number int, next sequence) ([]time.Duration, error) {
	const patience = time.Minute // for the last response
	if err := c.conn.SetDeadline(end.Add(patience)); err != nil {
		return nil, err
	}
	latencies := make([]time.Duration, 0, 4096)
	for n := 0; ; n++ {
		r, ok := next(number, n)
		start := time.Now()
		if !ok || n > 0 && !start.Before(end) || ctx.Err() != nil {
			return latencies, ctx.Err()
		}
		if err := c.send(r, io.Discard); err != nil {
			return latencies, err
		}
		latencies = append(latencies, time.Since(start))
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// Quantile is the value at the nearest rank.
func Quantile[T cmp.Ordered](sorted []T, q float64) T {
	rank := int(q*float64(len(sorted)) + 0.999999)
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// Median is the middle of the values, or the mean of both in the middle; 0 without any.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// medians is the sample of the medians.
func medians(samples []Sample) Sample {
	of := func(figure func(Sample) float64) float64 {
		values := make([]float64, len(samples))
		for i, s := range samples {
			values[i] = figure(s)
		}
		return Median(values)
	}
	m := Sample{
		Rate: of(Sample.rate), P50: of(Sample.p50), P99: of(func(s Sample) float64 { return s.P99 }),
		CPU: of(Sample.cpu), ProxyCPU: of(func(s Sample) float64 { return s.ProxyCPU }), DatabaseCPU: of(func(s Sample) float64 { return s.DatabaseCPU }),
	}
	for _, s := range samples {
		m.MemoryMB = max(m.MemoryMB, s.MemoryMB)
	}
	return m
}

func (s Sample) rate() float64 { return s.Rate }
func (s Sample) p50() float64  { return s.P50 }
func (s Sample) cpu() float64  { return s.CPU }

// ratio is the median of the ratios of each round's figure to that of the reference in the same round, so that a
// machine whose speed changes from round to round does not distort it. 0 without a reference.
func ratio(subject, reference []Sample, figure func(Sample) float64) float64 {
	var ratios []float64
	for i := range min(len(subject), len(reference)) {
		if below := figure(reference[i]); below > 0 {
			ratios = append(ratios, figure(subject[i])/below)
		}
	}
	return Median(ratios)
}
