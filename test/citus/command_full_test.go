//go:build full

package citus_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// await waits until the query on the node has a result that is as wanted.
func await(t *testing.T, url, sql string, is func(int64) bool) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		var n int64
		if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
			t.Fatalf("%v\n%s", err, sql)
		}
		if is(n) {
			return
		}
	}
	t.Fatalf("waited without success for %s", sql)
}

func some(n int64) bool { return n > 0 }
func none(n int64) bool { return n == 0 }

// command is a running command of the program.
type command struct {
	process *os.Process
	output  bytes.Buffer
	ended   chan error
}

func start(t *testing.T, program, url string, arguments ...string) *command {
	t.Helper()
	process, c := exec.CommandContext(t.Context(), program, arguments...), &command{ended: make(chan error, 1)}
	process.Env = append(os.Environ(), "KONTOR_DATABASE_URL="+url)
	process.Stdout, process.Stderr = &c.output, &c.output
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	c.process = process.Process
	go func() { c.ended <- process.Wait() }()
	return c
}

// await is like the function, and returns at once when the command has ended.
func (c *command) await(t *testing.T, url, sql string, is func(int64) bool) {
	t.Helper()
	await(t, url, sql, func(n int64) bool { return is(n) || len(c.ended) > 0 })
}

// kill kills the command unless it has ended, which it must not have done with an error.
func (c *command) kill(t *testing.T) {
	t.Helper()
	_ = c.process.Kill()
	if exit, ok := errors.AsType[*exec.ExitError](<-c.ended); ok && exit.Exited() {
		t.Errorf("the command ended with %v: %s", exit, c.output.String())
	}
}

// succeed runs a command of the program to its end.
func succeed(t *testing.T, program, url string, arguments ...string) {
	t.Helper()
	c := start(t, program, url, arguments...)
	if err := <-c.ended; err != nil {
		t.Fatalf("%v: %v: %s", arguments, err, c.output.String())
	}
}
