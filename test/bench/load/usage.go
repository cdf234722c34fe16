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

// ticks are how many units of CPU time /proc counts in a second, on every Linux that Go runs on.
const ticks = 100

// cpuOf is how long a process has been at work; what its ended children did counts if they are asked
// for.
func cpuOf(stat []byte) (own, children time.Duration, parent int, err error) {
	// The name of the program stands in brackets and may hold anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 15 {
		return 0, 0, 0, errors.New("unknown form of /proc/PID/stat")
	}
	var n [5]int
	for i, field := range []int{1, 11, 12, 13, 14} {
		if n[i], err = strconv.Atoi(string(fields[field])); err != nil {
			return 0, 0, 0, err
		}
	}
	tick := time.Second / ticks
	return time.Duration(n[1]+n[2]) * tick, time.Duration(n[3]+n[4]) * tick, n[0], nil
}

// cpu is how long the process has been at work.
func cpu(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	own, _, _, err := cpuOf(stat)
	if err != nil {
		return 0
	}
	return own
}

// cpuOfFamily is how long a process and all its children, ended ones too, have been at work. 0 for
// none, such as a database on another machine.
func cpuOfFamily(pid int) (sum time.Duration) {
	if pid == 0 {
		return 0
	}
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		own, children, parent, err := cpuOf(stat)
		switch {
		case err != nil:
		case file == fmt.Sprintf("/proc/%d/stat", pid):
			sum += own + children
		case parent == pid:
			sum += own
		}
	}
	return sum
}

// memory is what the process holds of the machine's memory, in bytes.
func memory(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	return residentIn(string(text))
}

func residentIn(status string) int64 {
	for line := range strings.Lines(status) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kilobytes, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err == nil {
				return kilobytes * 1024
			}
		}
	}
	return 0
}
