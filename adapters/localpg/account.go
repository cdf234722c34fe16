package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is the operating-system user that PostgreSQL runs as.
type account struct {
	name     string
	uid, gid int
	switched bool // Kontor is root and hands over to this user
}

// account chooses the user that runs the database: Kontor's own user; for root, as PostgreSQL refuses to run as root,
// the owner of the data or of the folder made for them, else `postgres`, else `nobody`.
func (f folder) account() (account, error) {
	dataOwner, hasData := ownerOf(f.data())
	if euid := os.Geteuid(); euid != 0 {
		if hasData && dataOwner.uid != euid {
			return account{}, f.belongsTo(dataOwner.name)
		}
		return account{name: nameOf(euid), uid: euid, gid: os.Getegid()}, nil
	}
	if hasData && dataOwner.uid != 0 {
		return dataOwner.switchedTo(), nil
	}
	if folderOwner, ok := ownerOf(f.path); ok && folderOwner.uid != 0 {
		return folderOwner.switchedTo(), nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if a, err := lookUp(name); err == nil {
			return a.switchedTo(), nil
		}
	}
	return account{}, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody to run it")
}

func (f folder) belongsTo(name string) error {
	return fmt.Errorf("the data directory %s belongs to user %s: start Kontor as that user or as root, or name another folder with KONTOR_DATA_DIR",
		f.path, name)
}

func (a account) switchedTo() account {
	a.switched = true
	return a
}

func lookUp(name string) (account, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return account{}, err
	}
	uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
	return account{name: name, uid: int(uid), gid: int(gid)}, errors.Join(uidErr, gidErr)
}

// ownerOf returns the owner of a file or folder itself, not of the target of a symbolic link. The group is the
// user's own; the file's where the system does not know the user.
func ownerOf(path string) (account, bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return account{}, false
	}
	stat := info.Sys().(*syscall.Stat_t)
	if a, err := lookUp(nameOf(int(stat.Uid))); err == nil {
		return a, true
	}
	return account{name: nameOf(int(stat.Uid)), uid: int(stat.Uid), gid: int(stat.Gid)}, true
}

func nameOf(uid int) string {
	u, err := user.LookupId(strconv.Itoa(uid))
	if err != nil {
		return strconv.Itoa(uid)
	}
	return u.Username
}

// command prepares a program of PostgreSQL: run by the account, started in the given folder, in a session of
// its own so that no terminal's Ctrl-C reaches it, and without Kontor's environment, which may hold secrets
// and PG… variables that would change the server. The end of the context kills it and what it started.
func (a account) command(ctx context.Context, workIn, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = workIn
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	if libraries, set := os.LookupEnv("LD_LIBRARY_PATH"); set {
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+libraries)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if a.switched {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

// canReach returns an error that names the folder in the way when the account cannot enter the given one. It
// tries, because mode bits alone do not decide: there are groups and access lists.
func (a account) canReach(ctx context.Context, bin, dir string) error {
	if !a.switched || a.enters(ctx, bin, dir) == nil {
		return nil
	}
	var parents []string // dir last
	for p := dir; p != filepath.Dir(p); p = filepath.Dir(p) {
		parents = append([]string{p}, parents...)
	}
	for _, p := range parents {
		err := a.enters(ctx, bin, p)
		if ctx.Err() != nil {
			return fmt.Errorf("look for a way to %s: %w", dir, context.Cause(ctx))
		}
		if err != nil {
			return fmt.Errorf("started as root, Kontor runs PostgreSQL as user %s, who may not enter %s on the way to %s: "+
				"name another folder with KONTOR_DATA_DIR (such as %s), or chmod o+x %s: %w",
				a.name, p, dir, systemDir, p, err)
		}
	}
	return nil
}

func (a account) enters(ctx context.Context, bin, dir string) error {
	return a.command(ctx, dir, filepath.Join(bin, "postgres"), "--version").Run()
}

// own gives a file or folder to the account where Kontor may, that is as root.
func (a account) own(path string) error {
	if !a.switched {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}
