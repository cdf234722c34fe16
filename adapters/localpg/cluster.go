package localpg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cluster is PostgreSQL on a data directory. In that folder are
//
//	postgresql/   the database's files, 0700, of the account that runs it
//	socket/       the folder of its socket, 0700, unless the path is too long for one
type cluster struct {
	folder   string // absolute
	settings map[string]string
	log      *slog.Logger

	// Set by prepare.
	socket  string // the folder of the socket for the next start
	account account
	bin     string // the folder of PostgreSQL's programs
}

func (c *cluster) data() string { return filepath.Join(c.folder, "postgresql") }

// dataVersion returns the major version of PostgreSQL that wrote the data, empty when there are none.
func (c *cluster) dataVersion() string {
	text, _ := os.ReadFile(filepath.Join(c.data(), "PG_VERSION"))
	return strings.TrimSpace(string(text))
}

// prepare finds out who runs which programs, and makes the folder of the socket and, on first use, the data. It may be
// repeated after any failure.
func (c *cluster) prepare(ctx context.Context) (err error) {
	if c.socket, err = socketFolder(c.folder); err != nil {
		return err
	}
	if c.account, err = accountFor(c.folder, c.data()); err != nil {
		return err
	}
	if c.bin, err = c.findPrograms(ctx, programFolders(os.Getenv("PATH"), places), c.dataVersion()); err != nil {
		return err
	}
	if err := c.account.privateFolder(c.socket); err != nil || c.dataVersion() != "" {
		return err
	}
	return c.create(ctx)
}

// create makes the data aside and renames them into place when they are whole and on disk, so that an
// interrupted first start leaves nothing that looks like data.
func (c *cluster) create(ctx context.Context) error {
	aside := c.data() + ".new"
	err := os.RemoveAll(aside)
	if err == nil {
		err = os.Mkdir(aside, 0o700)
	}
	if err == nil {
		err = c.account.own(aside)
	}
	if err == nil {
		err = c.initdb(ctx, aside)
	}
	if err == nil {
		err = os.Rename(aside, c.data())
	}
	if err != nil {
		return fmt.Errorf("create the database's files: %w", errors.Join(err, os.RemoveAll(aside)))
	}
	folder, err := os.Open(c.folder)
	if err != nil {
		return fmt.Errorf("make the database's files durable: %w", err)
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// initdb makes the files and the database. The locale says what a letter is, which trigrams consist of: the first
// knows all scripts, but not every system has it. A failed initdb leaves the folder empty.
func (c *cluster) initdb(ctx context.Context, dir string) error {
	args := []string{
		"-D", dir, "--username=" + role, "--auth-local=trust", "--auth-host=reject",
		"--encoding=UTF8", "--locale=C", "--data-checksums", "--no-instructions",
	}
	if c.settings["fsync"] == "off" {
		args = append(args, "--no-sync")
	}
	err := c.run(ctx, dir, "", "initdb", append(args, "--lc-ctype=C.UTF-8")...)
	if err != nil && ctx.Err() == nil {
		err = c.run(ctx, dir, "", "initdb", append(args, "--lc-ctype=C")...)
	}
	if err != nil {
		return err
	}
	return c.run(ctx, dir, "create database "+database+"\n", "postgres", "--single", "-D", dir, "-c", "exit_on_error=on", "postgres")
}

// start starts the server unless it runs, and returns when it accepts connections. It tries for three seconds: after a
// crash the processes of the server before may need a moment to let go of its memory, and one that a killed Kontor has
// just started may not be ready yet.
func (c *cluster) start(ctx context.Context) error {
	if _, ok := c.running(); ok {
		c.log.Warn("taking over the PostgreSQL that a killed Kontor left running")
		return nil
	}
	output := filepath.Join(c.data(), "start.log")
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		_ = os.Remove(output)
		// Recovery after a crash may take long: only the context bounds it.
		err := c.run(ctx, c.data(), "", "pg_ctl", "start", "-w", "-t", "86400", "-s", "-D", c.data(), "-l", output, "-o", c.options())
		if _, ok := c.running(); ok {
			return nil
		}
		if pause > 2*time.Second || !sleep(ctx, pause) {
			said, _ := os.ReadFile(output)
			return fmt.Errorf("PostgreSQL does not start: %w\n%s", cmp.Or(err, errors.New("it accepts no connections")), said)
		}
	}
}

// stop closes all connections and stops the server after a checkpoint.
func (c *cluster) stop() error {
	if !c.alive() {
		return nil
	}
	err := c.run(context.Background(), c.data(), "", "pg_ctl", "stop", "-w", "-t", "25", "-s", "-D", c.data(), "-m", "fast")
	if err != nil {
		return fmt.Errorf("stop PostgreSQL: %w", err)
	}
	return nil
}

// run runs one of PostgreSQL's programs in the folder; its error includes what it says.
func (c *cluster) run(ctx context.Context, dir, input, program string, args ...string) error {
	cmd := c.account.command(ctx, dir, filepath.Join(c.bin, program), args...)
	cmd.Stdin = strings.NewReader(input)
	said, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, said)
	}
	return nil
}

// options returns the settings of a start, quoted for the shell that pg_ctl uses. Of two settings of one name PostgreSQL
// takes the later: the caller's take precedence over the first group, and nothing over the last, which keeps the server
// private.
func (c *cluster) options() string {
	settings := []string{
		"cluster_name=kontor", "timezone=UTC", "lc_messages=C",
		// A log without customers' data.
		"log_error_verbosity=terse", "log_min_error_statement=panic", "log_checkpoints=off", "log_line_prefix=%m [%p] %b ",
		"logging_collector=on", "log_filename=postgresql-%a.log", "log_truncate_on_rotation=on", "log_rotation_size=0",
	}
	for _, name := range slices.Sorted(maps.Keys(c.settings)) {
		settings = append(settings, name+"="+c.settings[name])
	}
	settings = append(settings,
		"listen_addresses=", "port=5432", "unix_socket_directories="+c.socket, "unix_socket_permissions=0700")
	for i, setting := range settings {
		settings[i] = "-c '" + strings.ReplaceAll(setting, "'", `'\''`) + "'"
	}
	return strings.Join(settings, " ")
}

// postmaster returns the lines of postmaster.pid.
func (c *cluster) postmaster() []string {
	text, _ := os.ReadFile(filepath.Join(c.data(), "postmaster.pid"))
	return strings.Split(string(text), "\n")
}

// running returns the folder of the socket if a server accepts connections there.
func (c *cluster) running() (socket string, ok bool) {
	const socketLine, stateLine = 4, 7
	lines := c.postmaster()
	if len(lines) <= stateLine || !slices.Contains([]string{"ready", "standby"}, strings.TrimSpace(lines[stateLine])) {
		return "", false
	}
	conn, err := net.DialTimeout("unix", filepath.Join(lines[socketLine], socketName), time.Second) //nolint:noctx // of a local socket
	if err != nil {
		return "", false
	}
	return lines[socketLine], conn.Close() == nil
}

// alive reports whether the process in postmaster.pid exists.
func (c *cluster) alive() bool {
	pid, err := strconv.Atoi(c.postmaster()[0])
	if err != nil || pid <= 0 {
		return false
	}
	_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // as process 1, Kontor is the parent of what pg_ctl starts
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
