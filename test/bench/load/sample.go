package load

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Sample is what one server did in one round.
type Sample struct {
	Requests int
	Seconds  float64
	P50, P99 float64 // milliseconds
	CPU      float64 // microseconds of the server for each request
	Database float64 // the same of PostgreSQL
	Memory   int64   // bytes of the server, right afterwards
}

// Rate is requests in a second.
func (s Sample) Rate() float64 { return float64(s.Requests) / s.Seconds }

// source hands out the requests of one connection, the n-th at each call; ok is false when there
// are no more.
type source func(connection, n int) (r Request, ok bool)

// round sends requests over so many connections for a time.
func round(ctx context.Context, p *Process, token string, postmaster, connections int, d time.Duration, from source) (Sample, error) {
	callers, hangUp, err := dialAll(p, token, connections)
	if err != nil {
		return Sample{}, err
	}
	defer hangUp()
	cpuBefore, databaseBefore := cpu(p.pid), cpuOfFamily(postmaster)
	times, seconds, err := allAtOnce(ctx, callers, d, from)
	if err != nil {
		return Sample{}, err
	}
	flat := slices.Concat(times...)
	if len(flat) == 0 {
		return Sample{}, errors.New("no request was sent: there are no words left")
	}
	slices.Sort(flat)
	n := float64(len(flat))
	return Sample{
		Requests: len(flat), Seconds: seconds,
		P50:      milliseconds(quantile(flat, 0.5)),
		P99:      milliseconds(quantile(flat, 0.99)),
		CPU:      microseconds(cpu(p.pid)-cpuBefore) / n,
		Database: microseconds(cpuOfFamily(postmaster)-databaseBefore) / n,
		Memory:   memory(p.pid),
	}, nil
}

func dialAll(p *Process, token string, connections int) (callers []*caller, hangUp func(), err error) {
	hangUp = func() {
		for _, c := range callers {
			c.close()
		}
	}
	for range connections {
		c, err := dial(p.Address, token)
		if err != nil {
			hangUp()
			return nil, nil, err
		}
		callers = append(callers, c)
	}
	return callers, hangUp, nil
}

// allAtOnce sends requests over all connections at once; times are those of each, in its order.
func allAtOnce(ctx context.Context, callers []*caller, d time.Duration, from source) (times [][]time.Duration, seconds float64, err error) {
	times = make([][]time.Duration, len(callers))
	failures := make([]error, len(callers))
	start := time.Now()
	end := start.Add(d)
	var all sync.WaitGroup
	for i, c := range callers {
		all.Go(func() { times[i], failures[i] = steady(ctx, c, i, end, from) })
	}
	all.Wait()
	return times, time.Since(start).Seconds(), errors.Join(failures...)
}

// steady sends one request after the other until the end.
func steady(ctx context.Context, c *caller, connection int, end time.Time, from source) ([]time.Duration, error) {
	times := make([]time.Duration, 0, 4096)
	for n := 0; ; n++ {
		r, ok := from(connection, n)
		start := time.Now()
		if !ok || !start.Before(end) || ctx.Err() != nil {
			return times, ctx.Err()
		}
		if err := c.send(r, nil); err != nil {
			return times, err
		}
		times = append(times, time.Since(start))
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// quantile is the value that a part q of the sorted values does not exceed: the nearest rank.
func quantile[T cmp.Ordered](sorted []T, q float64) T {
	rank := int(q*float64(len(sorted)) + 0.999999)
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// median is the middle of values; of an even number the mean of both in the middle.
func median(values []float64) float64 {
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

// mid is the sample of medians.
func mid(samples []Sample) Sample {
	pick := func(of func(Sample) float64) float64 {
		values := make([]float64, len(samples))
		for i, s := range samples {
			values[i] = of(s)
		}
		return median(values)
	}
	const long = 1000 // seconds, so that a slow rate keeps its fractions
	m := Sample{
		Seconds: long,
		P50:     pick(func(s Sample) float64 { return s.P50 }), P99: pick(func(s Sample) float64 { return s.P99 }),
		CPU: pick(func(s Sample) float64 { return s.CPU }), Database: pick(func(s Sample) float64 { return s.Database }),
		Requests: int(pick(Sample.Rate)*long + 0.5),
	}
	for _, s := range samples {
		m.Memory = max(m.Memory, s.Memory)
	}
	return m
}
