package localpg

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// folderOf returns the data directory without touching it.
func folderOf(o Options) string {
	dir := cmp.Or(o.Dir, DefaultDir())
	if path, err := filepath.Abs(dir); err == nil {
		return path
	}
	return dir // the working directory is gone; the next use of the path fails
}

// lock creates the folder where it is missing, and locks it until unlock or the end of the process. If another process
// has locked it, the error is ErrInUse.
func (c *cluster) lock() (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(c.folder), 0o755); err != nil {
		return nil, fmt.Errorf("create the data directory: %w", err)
	}
	if err := os.Mkdir(c.folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("create the data directory: %w", err)
	}
	folder, err := os.Open(c.folder)
	if err != nil {
		return nil, fmt.Errorf("lock the data directory: %w", err)
	}
	err = syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = fmt.Errorf("%w: another kontor serve, or a command, runs the PostgreSQL of %s; stop that process, or name another "+
			"folder with KONTOR_DATA_DIR",
			ErrInUse, c.folder)
	}
	if err == nil {
		err = admitAccount(folder)
	}
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return folder, nil
}

// admitAccount lets the account that runs the database pass through a new folder of root. It needs the lock: of two
// concurrent starts the one that finds the folder may be the one that uses it.
func admitAccount(folder *os.File) error {
	if os.Geteuid() != 0 {
		return nil
	}
	if _, err := folder.Readdirnames(1); !errors.Is(err, io.EOF) {
		return err // in use before: its mode is the operator's
	}
	info, err := folder.Stat()
	if err != nil {
		return err
	}
	return folder.Chmod(info.Mode().Perm() | 0o011)
}

// unlock unlocks the folder. It is not only closed: a process that is being started at this moment has it open too, until
// it becomes the program that it is to run.
func unlock(folder *os.File) error {
	return errors.Join(syscall.Flock(int(folder.Fd()), syscall.LOCK_UN), folder.Close())
}

// socketName is the file PostgreSQL makes in the socket's folder: the port is part of the name only.
const socketName = ".s.PGSQL.5432"

// longestSocket is how many bytes of a socket's path the system takes: 107 on Linux, 103 on macOS.
const longestSocket = len(syscall.RawSockaddrUnix{}.Path) - 1

// socketFolder is where the socket of a data directory goes: into it, or into a folder under TMPDIR that is always the
// same for this data directory, so that nothing piles up there. It is not created.
func socketFolder(folder string) (string, error) {
	if strings.ContainsAny(folder, "\"$`\\\n") {
		return "", fmt.Errorf("the path of the data directory, %s, must not contain \", $, ` or \\: pg_ctl does not accept them", folder)
	}
	sum := sha256.Sum256([]byte(folder))
	short := filepath.Join(os.TempDir(), "kontor-"+hex.EncodeToString(sum[:8]))
	for _, dir := range []string{filepath.Join(folder, "socket"), short} {
		// Commas separate the folders of sockets in PostgreSQL's settings and the hosts of a URL.
		if len(filepath.Join(dir, socketName)) <= longestSocket && !strings.Contains(dir, ",") {
			return dir, nil
		}
	}
	return "", fmt.Errorf("no path for PostgreSQL's socket: under %s and under %s it would be longer than %d bytes, or contain a "+
		"comma; set TMPDIR to a short path",
		folder, os.TempDir(), longestSocket)
}
