package main

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows a bar for each stage on a terminal, and its duration elsewhere.
type progress struct {
	name  string
	start time.Time
	quiet bool
}

// stage begins a stage and ends the one before.
func (p *progress) stage(name string, rows int) func(int) {
	p.finish()
	p.name, p.start = name, time.Now()
	if p.quiet = !isTerminal(os.Stderr); p.quiet {
		return func(int) {}
	}
	bar := progressbar.NewOptions(rows,
		progressbar.OptionSetDescription(fmt.Sprintf("%-18s", name)),
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionShowElapsedTimeOnFinish(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionOnCompletion(func() { fmt.Fprintln(os.Stderr) }),
	)
	return func(n int) { _ = bar.Add(n) } // a full bar is no error
}

// finish prints the duration of the last stage where there is no bar.
func (p *progress) finish() {
	if p.quiet {
		fmt.Fprintf(os.Stderr, "%s: %.1f s\n", p.name, time.Since(p.start).Seconds())
	}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
