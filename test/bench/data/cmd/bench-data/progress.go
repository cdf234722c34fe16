package main

import (
	"fmt"
	"os"
	"time"
)

// progress prints the duration of each stage.
type progress struct {
	name  string
	start time.Time
}

// stage begins a stage and ends the one before.
func (p *progress) stage(name string, _ int) func(int) {
	p.finish()
	p.name, p.start = name, time.Now()
	return func(int) {}
}

// finish prints the duration of the last stage.
func (p *progress) finish() {
	if p.name != "" {
		fmt.Fprintf(os.Stderr, "%s: %.1f s\n", p.name, time.Since(p.start).Seconds())
	}
}
