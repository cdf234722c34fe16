package localpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// instance is everything needed to run PostgreSQL on a folder that is ours.
type instance struct {
	folder   folder
	socket   string // the folder of the socket
	account  account
	bin      string // the folder of PostgreSQL's programs
	settings map[string]string
	log      *slog.Logger
}

// prepare makes the folders and, on first use, the data. It may be repeated after any failure.
func (in instance) prepare(ctx context.Context) error {
	if err := in.account.canReach(ctx, in.bin, in.folder.path); err != nil {
		return err
	}
	if err := in.account.private(in.socket); err != nil {
		return err
	}
	if err := in.account.canReach(ctx, in.bin, in.socket); err != nil {
		return err
	}
	if in.folder.dataVersion() == "" {
		return in.initialise(ctx)
	}
	return in.adoptFiles()
}

// initialise creates the data aside and renames them into place when they are whole and on disk, so that an
// interrupted first start leaves nothing that looks like data.
func (in instance) initialise(ctx context.Context) error {
	in.removeLeftovers()
	aside, err := os.MkdirTemp(in.folder.path, "initdb-")
	if err != nil {
		return fmt.Errorf("create the database's files: %w", err)
	}
	if err := in.initdb(ctx, aside); err != nil {
		return errors.Join(err, os.RemoveAll(aside))
	}
	if err := os.Rename(aside, in.folder.data()); err != nil {
		return errors.Join(fmt.Errorf("put the database's files in place: %w", err), os.RemoveAll(aside))
	}
	return syncFolder(in.folder.path)
}

// removeLeftovers deletes what interrupted first starts left. An initdb whose Kontor was killed may still be
// writing there, which is why each has a name of its own and a failure to delete does not matter.
func (in instance) removeLeftovers() {
	leftovers, err := filepath.Glob(filepath.Join(in.folder.path, "initdb-*"))
	if err != nil {
		return
	}
	for _, dir := range leftovers {
		if err := os.RemoveAll(dir); err != nil {
			in.log.Warn("cannot remove what an interrupted start left", "folder", dir, "error", err)
		}
	}
}

// letterLocales are the locales that say what a letter is, which trigrams consist of. The first
// knows all scripts, but not every system has it. A failed initdb leaves the folder empty.
var letterLocales = [...]string{"C.UTF-8", "C"}

func (in instance) initdb(ctx context.Context, dir string) error {
	if err := in.account.own(dir); err != nil {
		return fmt.Errorf("give the database's files to user %s: %w", in.account.name, err)
	}
	args := []string{
		"-D", dir, "--username=" + role, "--auth-local=trust", "--auth-host=reject",
		"--encoding=UTF8", "--locale=C", "--data-checksums", "--no-instructions",
	}
	if in.settings["fsync"] == "off" {
		args = append(args, "--no-sync")
	}
	var err error
	for _, locale := range letterLocales {
		withLetters := slices.Concat(args, []string{"--lc-ctype=" + locale})
		out, failed := in.account.command(ctx, dir, filepath.Join(in.bin, "initdb"), withLetters...).CombinedOutput()
		if ctx.Err() != nil {
			return fmt.Errorf("create the database's files: %w", context.Cause(ctx))
		}
		if failed == nil {
			return nil
		}
		err = fmt.Errorf("create the database's files: initdb: %w\n%s", failed, out)
	}
	return err
}

func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("make the data directory durable: %w", err)
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return fmt.Errorf("make the data directory durable: %w", err)
	}
	return nil
}

// adoptFiles gives data that belong to root, a restored backup perhaps, to the account that is to run them.
func (in instance) adoptFiles() error {
	if holder, ok := ownerOf(in.folder.data()); !ok || holder.uid == in.account.uid {
		return nil
	}
	in.log.Info("giving the files of the database to its user", "user", in.account.name)
	// The folder itself goes last: an interruption is then repaired by the next start.
	var paths []string
	err := filepath.WalkDir(in.folder.data(), func(path string, _ fs.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	})
	for _, path := range slices.Backward(paths) {
		err = errors.Join(err, in.account.own(path))
	}
	if err != nil {
		return fmt.Errorf("give the database's files to user %s: %w", in.account.name, err)
	}
	return nil
}

// arguments returns the arguments of the server. Of two settings of one name PostgreSQL takes the later:
// the caller's win over the first group, and nothing wins over the last, which keeps the server
// private.
func (in instance) arguments() []string {
	args := []string{
		"-D", in.folder.data(),
		"-c", "cluster_name=kontor",
		"-c", "timezone=UTC",
		"-c", "lc_messages=C",
		// The server's log is relayed to Kontor's log: the kind of process, no customer's data.
		"-c", "log_line_prefix=%b|",
		"-c", "log_error_verbosity=terse",
		"-c", "log_min_error_statement=panic",
	}
	for _, name := range slices.Sorted(maps.Keys(in.settings)) {
		args = append(args, "-c", name+"="+in.settings[name])
	}
	return append(args,
		"-c", "listen_addresses=",
		"-c", "port=5432",
		"-c", "unix_socket_directories="+in.socket,
		"-c", "unix_socket_permissions=0700",
		"-c", "logging_collector=off",
		"-c", "log_destination=stderr",
	)
}
