package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// measureStarts starts the program A for each kind and round, and measures the first seconds after it is ready, and the next ones.
func measureStarts(ctx context.Context, o options, out io.Writer, named []kind) error {
	first, err := start(ctx, "A", o.path[0], o.database[0], o)
	if err != nil {
		return err
	}
	all, err := readSample(ctx, first.client(), o.texts)
	if err := errors.Join(err, first.stop(io.Discard)); err != nil {
		return err
	}
	o.duration = 4 * time.Second
	fmt.Fprintf(out, "%-21s%10s%10s%10s%10s%10s  failures\n", "kind", "req/s", "p50", "p99", "p50 then", "p99 then")
	for _, k := range named {
		var rounds []figures
		failures := map[string]int{}
		for round := range o.starts {
			p, err := serve(ctx, "A", o.path[0], o.database[0], o)
			if err != nil {
				return err
			}
			p.tokens = first.tokens
			cold := p.attack(o, k.requests(all.share(2*round, 2*o.starts)), failures)
			warm := p.attack(o, k.requests(all.share(2*round+1, 2*o.starts)), failures)
			if err := p.stop(io.Discard); err != nil {
				return err
			}
			rounds = append(rounds, figures{cold[0], cold[1], cold[2], warm[1], warm[2]})
		}
		fmt.Fprintf(out, "%-21s%10.0f%10.2f%10.2f%10.2f%10.2f  %v\n", k.name, median(rounds, 0), median(rounds, 1), median(rounds, 2),
			median(rounds, 3), median(rounds, 4), failures)
	}
	return nil
}
