package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/bench/service"
)

// times are processor times, of the service and of its connections' processes in the database.
type times struct{ service, database time.Duration }

func (t times) String() string {
	return fmt.Sprintf("%s of the service and %s of the database", t.service.Round(time.Microsecond), t.database.Round(time.Microsecond))
}

// processorTimes are those since the start. The time of the database is 0 if it runs on another
// machine.
func processorTimes(ctx context.Context, config bootstrap.Config, of *service.Service) (times, error) {
	command := exec.CommandContext(ctx, "psql", config.DatabaseURL, "-Atc",
		"select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()")
	out, err := command.Output()
	t := times{service: processorTime(fmt.Sprint(of.PID()))}
	for pid := range strings.FieldsSeq(string(out)) {
		t.database += processorTime(pid)
	}
	return t, err
}

// processorTime is that of all threads of a process; 0 where it cannot be read.
func processorTime(pid string) (sum time.Duration) {
	files, _ := filepath.Glob("/proc/" + pid + "/task/*/schedstat") // fails for a malformed pattern only
	for _, file := range files {
		text, _ := os.ReadFile(file)
		var running time.Duration
		_, _ = fmt.Sscan(string(text), &running)
		sum += running
	}
	return sum
}
