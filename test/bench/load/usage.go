package load

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ticks is how many units of processor time /proc counts per second.
const ticks = 100

type stat struct {
	own, children time.Duration // of children, those that ended
	parent        int
}

// readStat reads a /proc/PID/stat.
func readStat(text []byte) (s stat, err error) {
	// The name of the program is in brackets and may contain anything.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 15 {
		return s, errors.New("unknown format of /proc/PID/stat")
	}
	var n [5]int
	for i, field := range []int{1, 11, 12, 13, 14} {
		if n[i], err = strconv.Atoi(string(fields[field])); err != nil {
			return s, err
		}
	}
	const tick = time.Second / ticks
	return stat{parent: n[0], own: time.Duration(n[1]+n[2]) * tick, children: time.Duration(n[3]+n[4]) * tick}, nil
}

// processorTime is the processor time of a process; 0 where it cannot be read.
func processorTime(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	s, _ := readStat(text)
	return s.own
}

// ProcessorTimeOfTree is that of a process and its children, including ended ones; 0 for no process.
func ProcessorTimeOfTree(pid int) (sum time.Duration) {
	if pid == 0 {
		return 0
	}
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // fails for a malformed pattern only
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the process has ended
		}
		s, err := readStat(text)
		switch {
		case err != nil:
		case file == fmt.Sprintf("/proc/%d/stat", pid):
			sum += s.own + s.children
		case s.parent == pid:
			sum += s.own
		}
	}
	return sum
}

// The figures of MemoryMB.
const (
	Resident     = "VmRSS"
	PeakResident = "VmHWM" // so far
)

// MemoryMB is the resident set of a process; 0 where it cannot be read.
func MemoryMB(pid int, figure string) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	return memoryIn(string(text), figure)
}

func memoryIn(status, figure string) float64 {
	for line := range strings.Lines(status) {
		if rest, ok := strings.CutPrefix(line, figure+":"); ok {
			kilobytes, _ := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			return float64(kilobytes) / 1024
		}
	}
	return 0
}
