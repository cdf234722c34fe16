package localpg

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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
	script := fmt.Sprintf("#!/bin/sh\necho 'postgres (PostgreSQL) %s'\n", version)
	for _, name := range []string{"postgres", "initdb"} {
		if err := executable.Write(filepath.Join(bin, name), []byte(script)); err != nil {
			t.Fatal(err)
		}
	}
}

// systemNamed is an os-release file.
func systemNamed(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "os-release")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
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
			p := &places{path: c.path, globs: []string{filepath.Join(root, "usual", "*", "bin")}}
			found, err := p.find(c.wanted)
			if err != nil {
				t.Fatal(err)
			}
			got, err := found.choose(t.Context(), account{}, c.wanted)
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
	p := &places{path: "here"}
	if found, err := p.find(""); !errors.Is(err, ErrNoPrograms) {
		t.Errorf("found %v, %v, want ErrNoPrograms", found.folders, err)
	}
}

// contract 11.5
func TestProgramsMissingErrorHasTheInstallCommand(t *testing.T) {
	t.Parallel()
	lines := map[string]string{
		"ID=debian\n": "apt-get install -y postgresql",
		"NAME=\"Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n": "create_main_cluster = false",
		"ID=fedora\n": "dnf install -y postgresql-server postgresql-contrib",
		"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n":    "dnf install -y postgresql-server postgresql-contrib",
		"ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n": "zypper install -y postgresql-server",
		"ID=alpine\n":     "apk add postgresql",
		"ID=arch\n":       "pacman -S postgresql",
		"ID=unheard-of\n": "PATH",
	}
	for release, want := range lines {
		if runtime.GOOS == "darwin" {
			want = "brew install postgresql@17"
		}
		o := optionsOf(t, newFolder(t))
		o.places = &places{path: t.TempDir(), release: systemNamed(t, release)}
		_, err := Start(deadline(t), o)
		if !errors.Is(err, ErrNoPrograms) || !strings.Contains(err.Error(), want) {
			t.Errorf("on %q the start gives %v, want %q", release, err, want)
		}
		if _, err := os.Stat(o.Dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a start without programs made the data directory: %v", err)
		}
	}
}

func TestProgramsOfAnotherVersionLeaveDataUntouched(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	if err := os.MkdirAll(filepath.Join(dir, "postgresql"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "postgresql", "PG_VERSION"), []byte("8\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Start(deadline(t), optionsOf(t, dir))
	if !errors.Is(err, ErrNoPrograms) || !strings.Contains(err.Error(), "version 8 is needed, which wrote the data, found only") {
		t.Errorf("the start gives %v", err)
	}
}
