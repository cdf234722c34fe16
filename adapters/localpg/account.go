package localpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
	"time"
)

// account is the operating-system user that PostgreSQL runs as.
type account struct{ uid, gid int }

// accountFor chooses the user that runs the database: Kontor's own user; for root, as PostgreSQL refuses to run as root,
// the owner of the data or of the folder made for them, else `postgres`, else `nobody`.
func accountFor(folder, data string) (account, error) {
	euid := os.Geteuid()
	for _, path := range []string{data, folder} {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		owner := ownerOf(info)
		switch {
		case euid == 0 && owner.uid != 0:
			return owner, nil
		case euid != 0 && path == data && owner.uid != euid:
			return account{}, fmt.Errorf("the data directory %s belongs to user %s: start Kontor as that user or as root, or name "+
				"another folder with KONTOR_DATA_DIR",
				folder, owner.name())
		}
	}
	if euid != 0 {
		return account{euid, os.Getegid()}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, uidErr := strconv.Atoi(u.Uid)
			gid, gidErr := strconv.Atoi(u.Gid)
			return account{uid, gid}, errors.Join(uidErr, gidErr)
		}
	}
	return account{}, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody to run it")
}

func ownerOf(info fs.FileInfo) account {
	stat := info.Sys().(*syscall.Stat_t)
	return account{int(stat.Uid), int(stat.Gid)}
}

func (a account) name() string {
	id := strconv.Itoa(a.uid)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}

// command prepares a program of PostgreSQL: run by the account, started in the given folder, in a session of
// its own so that no terminal's Ctrl-C reaches it, and without Kontor's environment, which may hold secrets
// and PG… variables that would change the server. The end of the context interrupts it, and then it cleans up.
func (a account) command(ctx context.Context, dir, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // a program of PostgreSQL that was found on this machine
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// own gives a file or folder to the account where Kontor may, that is as root.
func (a account) own(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}

// privateFolder makes a folder that only the account enters. One that is there already must be the account's own, or
// root's own when root asks: under TMPDIR anybody could have made it.
func (a account) privateFolder(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("create the folder of the socket: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("create the folder of the socket: %w", err)
	}
	owner := ownerOf(info).uid
	if !info.IsDir() || info.Mode().Perm() != 0o700 || owner != a.uid && owner != os.Geteuid() {
		return fmt.Errorf("the folder of the socket, %s, is not a folder that only user %s may enter: remove it", dir, a.name())
	}
	return a.own(dir)
}
