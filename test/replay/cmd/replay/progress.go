package main

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows a bar for each stage on a terminal, and its name elsewhere.
func progress(stage string, pieces int) func(int) {
	if !isTerminal(os.Stderr) {
		fmt.Fprintf(os.Stderr, "%s: %d\n", stage, pieces)
		return func(int) {}
	}
	bar := progressbar.NewOptions(pieces,
		progressbar.OptionSetDescription(fmt.Sprintf("%-16s", stage)),
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionShowElapsedTimeOnFinish(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionOnCompletion(func() { fmt.Fprintln(os.Stderr) }),
	)
	// More pieces than expected are a difference, which is told elsewhere.
	return func(n int) { _ = bar.Add(n) }
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
