package localpg

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// folder is Kontor's data directory. In it are
//
//	lock          the owner of the folder: held with flock, with the process and its socket
//	postgresql/   the database's files, 0700, of the account that runs it
//	socket/       the folder of its socket, 0700, unless the path is too long for one
type folder struct {
	path string // absolute, without symbolic links once createFolder made it
}

// folderAt names a folder without touching it.
func folderAt(dir string) folder {
	path, err := filepath.Abs(dir)
	if err != nil {
		return folder{path: dir} // the working directory is gone; the next use of the path fails
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	return folder{path: path}
}

// createFolder makes the folder and its parents where they are missing. A folder that root makes can be
// passed through by the account that runs the database; all that it holds is closed to others.
func createFolder(dir string) (folder, error) {
	f := folderAt(dir)
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return folder{}, fmt.Errorf("create the data directory: %w", err)
	}
	mode := fs.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o711
	}
	err := os.Mkdir(f.path, mode)
	if err == nil {
		err = os.Chmod(f.path, mode) // whatever the umask
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return folder{}, fmt.Errorf("create the data directory: %w", err)
	}
	return folderAt(f.path), nil
}

func (f folder) data() string     { return filepath.Join(f.path, "postgresql") }
func (f folder) lockFile() string { return filepath.Join(f.path, "lock") }

// dataVersion returns the major version of PostgreSQL that wrote the data, empty when there are
// none.
func (f folder) dataVersion() string {
	text, err := os.ReadFile(filepath.Join(f.data(), "PG_VERSION"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// socketName is the file PostgreSQL makes in the socket's folder: the port is part of the name only.
const socketName = ".s.PGSQL.5432"

// longestSocket is how many bytes of a socket's path the system takes: 107 on Linux, 103 on macOS.
const longestSocket = len(syscall.RawSockaddrUnix{}.Path) - 1

// socketFolder is where the socket goes: in the data directory, or in a folder under TMPDIR that is always the same
// for this data directory, so that nothing piles up there. It is not created.
func (f folder) socketFolder() (string, error) {
	sum := sha256.Sum256([]byte(f.path))
	short := filepath.Join(os.TempDir(), "kontor-"+hex.EncodeToString(sum[:8]))
	for _, dir := range []string{filepath.Join(f.path, "socket"), short} {
		if holdsSocket(dir) {
			return dir, nil
		}
	}
	return "", fmt.Errorf("no path for PostgreSQL's socket: under %s and under %s it would be longer than %d bytes, or hold a comma or quote; set TMPDIR to a short path",
		f.path, os.TempDir(), longestSocket)
}

// holdsSocket reports whether the path fits; commas and quotes mean something in PostgreSQL's list of socket
// folders, commas in a URL's list of hosts, and the lock file ends a path with the line.
func holdsSocket(dir string) bool {
	return filepath.IsAbs(dir) &&
		len(filepath.Join(dir, socketName)) <= longestSocket &&
		!strings.ContainsAny(dir, ",\"'\\\n")
}

// private makes a folder that only the account enters. One that is there already must be the account's own, or
// root's own when root asks: under TMPDIR anybody could have made it.
func (a account) private(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("create the folder of the socket: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("create the folder of the socket: %w", err)
	}
	owner, _ := ownerOf(dir)
	if !info.IsDir() || owner.uid != a.uid && owner.uid != os.Geteuid() {
		return fmt.Errorf("the folder of the socket, %s, is not a folder of user %s: remove it", dir, a.name)
	}
	if info.Mode().Perm() != 0o700 {
		return fmt.Errorf("the folder of the socket, %s, is accessible to others than user %s: remove it", dir, a.name)
	}
	if err := a.own(dir); err != nil {
		return fmt.Errorf("give the folder of the socket to user %s: %w", a.name, err)
	}
	return nil
}
