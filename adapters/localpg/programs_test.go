package localpg

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/executable"
)

// install makes a folder of programs that print the given version.
func install(t *testing.T, bin string, version string) {
	t.Helper()
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\necho 'pg_ctl (PostgreSQL) %s'\n", version)
	if err := executable.Write(filepath.Join(bin, "pg_ctl"), []byte(script)); err != nil {
		t.Fatal(err)
	}
}

// searched returns what is found by a cluster of the test's user.
func searched(t *testing.T, folders []string, wanted string) (string, error) {
	t.Helper()
	c := cluster{folder: "/", account: account{os.Getuid(), os.Getgid()}}
	return c.findPrograms(t.Context(), folders, wanted)
}

// contract 11.4
func TestProgramsAreSearchedInPathThenInTheUsualFolders(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	usual := func(version string) string { return filepath.Join(root, "usual", version, "bin") }
	install(t, usual("13"), "13.1")
	install(t, usual("15"), "15.14 (Debian 15.14-0+deb12u1)")
	install(t, usual("17"), "17.2")
	own := filepath.Join(root, "own")
	install(t, own, "16.4")
	for _, c := range []struct{ name, path, wanted, folder string }{
		{"the newest", root, "", usual("17")},
		{"PATH before the usual places", root + string(os.PathListSeparator) + own, "", own},
		{"the version that wrote the data", own, "15", usual("15")},
		{"an old version only for old data", own, "13", usual("13")},
	} {
		t.Run(c.name, func(t *testing.T) {
			folders := programFolders(c.path, []string{filepath.Join(root, "usual", "*", "bin")})
			got, err := searched(t, folders, c.wanted)
			if err != nil || got != c.folder {
				t.Errorf("chosen: %s, %v, want %s", got, err, c.folder)
			}
		})
	}
}

// contract 11.4: a relative folder in PATH would run what lies in the working directory
func TestProgramsInARelativeFolderOfPathAreIgnored(t *testing.T) {
	bin := t.TempDir()
	install(t, filepath.Join(bin, "here"), "17.2")
	t.Chdir(bin)
	if found := programFolders("here", nil); len(found) > 0 {
		t.Errorf("found %v, want nothing", found)
	}
}

func TestProgramsMissingErrorSaysHowToInstallThem(t *testing.T) {
	t.Parallel()
	_, err := searched(t, nil, "")
	if !errors.Is(err, ErrNoPrograms) || !strings.Contains(err.Error(), "apt-get install postgresql") {
		t.Errorf("without programs the error is %v", err)
	}
}

func TestProgramsOfAnotherVersionLeaveDataUntouched(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	if err := os.MkdirAll(filepath.Join(dir, "postgresql"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "postgresql", "PG_VERSION"), []byte("8\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Start(deadline(t), optionsOf(t, dir))
	if !errors.Is(err, ErrNoPrograms) || !strings.Contains(err.Error(), "version 8 is needed, which wrote the data") {
		t.Errorf("the start gives %v", err)
	}
}
