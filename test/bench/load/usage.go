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

// ticks is how many units of CPU time /proc counts per second.
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

// processorTime is the CPU time of a process; 0 where it cannot be read.
func processorTime(pid int) time.Duration { return statOf(pid).own }

func statOf(pid int) (s stat) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil {
		s, _ = readStat(text)
	}
	return s
}

// ProcessorTimeOfTree is that of a process and its children, including ended ones; 0 for no process.
func ProcessorTimeOfTree(pid int) time.Duration {
	s := statOf(pid)
	sum := s.own + s.children
	for _, child := range childrenOf(pid) {
		sum += processorTime(child)
	}
	return sum
}

// childrenOf reads the list of the kernel, which takes less time than reading all processes.
func childrenOf(pid int) (children []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // fails for a malformed pattern only
	for _, list := range lists {
		text, _ := os.ReadFile(list) // fails if the thread has ended
		for child := range strings.FieldsSeq(string(text)) {
			if number, err := strconv.Atoi(child); err == nil {
				children = append(children, number)
			}
		}
	}
	return children
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
