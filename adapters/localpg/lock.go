package localpg

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// folderLock is the ownership of a data directory. The kernel ends it with the process, however that ends.
type folderLock struct {
	file *os.File
}

// owner is the content of the lock file: the process that owns a folder, or owned it last.
type owner struct {
	pid    int
	socket string // the folder of its PostgreSQL's socket
}

// lock locks the folder, or returns ErrInUse and names the owner. It never waits.
func (f folder) lock(socket string) (*folderLock, error) {
	file, err := openLock(f)
	if err != nil {
		return nil, err
	}
	if err := flock(file, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock %s: %w", f.lockFile(), err)
		}
		return nil, f.inUse()
	}
	l := &folderLock{file: file}
	if err := l.write(fmt.Sprintf("%d\n%s\n", os.Getpid(), socket)); err != nil {
		return nil, errors.Join(err, l.release())
	}
	return l, nil
}

// openLock opens or makes the lock file. The folder may belong to an ordinary user while Kontor is root, so
// what is opened must be a plain file with one name: root must not write through a link.
func openLock(f folder) (*os.File, error) {
	const flags = os.O_RDWR | os.O_CREATE | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	file, err := os.OpenFile(f.lockFile(), flags, 0o600)
	if errors.Is(err, fs.ErrPermission) {
		holder, _ := ownerOf(f.path)
		return nil, fmt.Errorf("%w: %w", f.belongsTo(holder.name), err)
	}
	if err != nil {
		return nil, fmt.Errorf("open the lock of the data directory: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("open the lock of the data directory: %w", err)
	}
	if stat := info.Sys().(*syscall.Stat_t); !info.Mode().IsRegular() || stat.Nlink != 1 {
		file.Close()
		return nil, fmt.Errorf("%s is not a plain file: remove it", f.lockFile())
	}
	if holder, ok := ownerOf(f.path); ok && os.Geteuid() == 0 {
		err = file.Chown(holder.uid, holder.gid) // so that the folder's owner may start Kontor next
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("give the lock to the owner of the data directory: %w", err)
	}
	return file, nil
}

func flock(file *os.File, how int) error {
	for {
		err := syscall.Flock(int(file.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// inUse returns the error that names the owner. An owner that has just locked the folder gets a
// moment to write its id.
func (f folder) inUse() error {
	for range 20 {
		if o, known := f.owner(); known {
			return fmt.Errorf("%w: %s is owned by Kontor's process %d; stop that process, or name another folder with KONTOR_DATA_DIR",
				ErrInUse, f.path, o.pid)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return fmt.Errorf("%w: %s is locked by an unknown process; `fuser %s` finds it",
		ErrInUse, f.path, f.lockFile())
}

// owner reads the owner of the folder, or the last one if it was killed. It takes no lock, because a reader must never
// make a start fail.
func (f folder) owner() (owner, bool) {
	text, err := os.ReadFile(f.lockFile())
	if err != nil {
		return owner{}, false
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) != 3 {
		return owner{}, false
	}
	pid, err := strconv.Atoi(lines[0])
	return owner{pid: pid, socket: lines[1]}, err == nil
}

func (l *folderLock) write(text string) error {
	if err := l.file.Truncate(0); err != nil {
		return fmt.Errorf("write the lock of the data directory: %w", err)
	}
	if _, err := l.file.WriteAt([]byte(text), 0); err != nil {
		return fmt.Errorf("write the lock of the data directory: %w", err)
	}
	return nil
}

// release unlocks the folder. The file stays: removing it would let two processes lock two files of one name.
// It is unlocked and not only closed: a process that is being started at this moment has it open too, for as long
// as it has not become the program that it is to run.
func (l *folderLock) release() error {
	return errors.Join(l.write(""), flock(l.file, syscall.LOCK_UN), l.file.Close())
}
