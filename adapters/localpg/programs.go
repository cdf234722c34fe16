package localpg

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// oldestVersion is the oldest major version of PostgreSQL that a new data directory is created with.
const oldestVersion = 14

// places says where PostgreSQL's programs may be. Tests bring their own.
type places struct {
	path    string   // a list of folders as in PATH, searched first
	globs   []string // patterns of further folders; the highest version number found is tried first
	release string   // the file that names the system, see os-release(5)
}

func usualPlaces() *places {
	return &places{
		path: os.Getenv("PATH"),
		globs: []string{
			"/usr/lib/postgresql/*/bin", // Debian, Ubuntu
			"/usr/lib/postgresql*/bin",  // openSUSE
			"/usr/libexec/postgresql*",  // Alpine
			"/usr/pgsql-*/bin",          // Fedora and its kin, packages of the PostgreSQL project
			"/usr/bin",                  // Fedora, Arch
			"/usr/local/pgsql/bin",      // built from source
			"/opt/homebrew/opt/postgresql*/bin",
			"/usr/local/opt/postgresql*/bin",
			"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
			"/Applications/Postgres.app/Contents/Versions/*/bin",
		},
		release: "/etc/os-release",
	}
}

// programs are the folders that hold both `postgres` and `initdb`, in the order of preference.
type programs struct {
	folders []string
	places  *places
}

// find lists what is installed, without running anything. The wanted version serves the error only.
func (p *places) find(wanted string) (programs, error) {
	found := programs{places: p}
	for _, folder := range append(filepath.SplitList(p.path), p.newestFirst()...) {
		if !filepath.IsAbs(folder) || slices.Contains(found.folders, folder) {
			continue // as in a shell's PATH, but a relative folder would let the working directory choose
		}
		if isProgram(filepath.Join(folder, "postgres")) && isProgram(filepath.Join(folder, "initdb")) {
			found.folders = append(found.folders, folder)
		}
	}
	if len(found.folders) == 0 {
		return programs{}, fmt.Errorf("%w: none in PATH and none in %s; to install them: %s",
			ErrNoPrograms, strings.Join(p.globs, ", "), p.installLine(wanted))
	}
	return found, nil
}

var number = regexp.MustCompile(`[0-9]+`)

func (p *places) newestFirst() []string {
	var folders []string
	for _, pattern := range p.globs {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			panic(err) // only for a malformed pattern, and all are written above
		}
		folders = append(folders, matches...)
	}
	versionIn := func(folder string) int {
		numbers := append([]string{"0"}, number.FindAllString(folder, -1)...)
		n, _ := strconv.Atoi(numbers[len(numbers)-1]) // too large for an int: as old as without a number
		return n
	}
	slices.SortStableFunc(folders, func(a, b string) int { return cmp.Compare(versionIn(b), versionIn(a)) })
	return folders
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// choose returns the first folder whose programs the account can run and whose major version is the wanted
// one, or recent enough where no data ask for one.
func (p programs) choose(ctx context.Context, runAs account, wanted string) (string, error) {
	var seen []string
	for _, folder := range p.folders {
		major, err := majorVersion(ctx, runAs, folder)
		if ctx.Err() != nil {
			return "", fmt.Errorf("look for PostgreSQL's programs: %w", context.Cause(ctx))
		}
		if err != nil {
			seen = append(seen, fmt.Sprintf("%s (%v)", folder, err))
			continue
		}
		if wanted == strconv.Itoa(major) || wanted == "" && major >= oldestVersion {
			return folder, nil
		}
		seen = append(seen, fmt.Sprintf("%s (version %d)", folder, major))
	}
	needed := fmt.Sprintf("version %s is needed, which wrote the data", wanted)
	if wanted == "" {
		needed = fmt.Sprintf("version %d or newer is needed", oldestVersion)
	}
	return "", fmt.Errorf("%w: %s, found only %s; to install it: %s",
		ErrNoPrograms, needed, strings.Join(seen, ", "), p.places.installLine(wanted))
}

var versionLine = regexp.MustCompile(`\(PostgreSQL\) ([0-9]+)`)

func majorVersion(ctx context.Context, runAs account, bin string) (int, error) {
	out, err := runAs.command(ctx, "/", filepath.Join(bin, "postgres"), "--version").Output()
	if err != nil {
		return 0, fmt.Errorf("cannot be run as user %s: %w", runAs.name, err)
	}
	match := versionLine.FindSubmatch(out)
	if match == nil {
		return 0, fmt.Errorf("unknown version %q", out)
	}
	return strconv.Atoi(string(match[1]))
}

// installLine returns the one line to type on this system. The version is that of existing data,
// or empty.
func (p *places) installLine(version string) string {
	sudo := "sudo "
	if os.Geteuid() == 0 {
		sudo = ""
	}
	if runtime.GOOS == "darwin" {
		return "brew install postgresql@" + cmp.Or(version, "17")
	}
	dashed := ""
	if version != "" {
		dashed = "-" + version
	}
	for _, system := range p.systems() {
		switch system {
		case "debian", "ubuntu":
			// The first two steps keep Debian from starting a server of its own on port 5432.
			return sudo + "apt-get install -y postgresql-common && echo 'create_main_cluster = false' | " +
				sudo + "tee -a /etc/postgresql-common/createcluster.conf && " +
				sudo + "apt-get install -y postgresql" + dashed
		case "fedora", "rhel", "centos":
			return sudo + "dnf install -y postgresql-server postgresql-contrib"
		case "suse", "opensuse":
			return sudo + "zypper install -y postgresql" + version + "-server"
		case "alpine":
			return sudo + "apk add postgresql" + version
		case "arch":
			return sudo + "pacman -S postgresql"
		}
	}
	return "use the system's package manager, or put the folder of PostgreSQL's programs into PATH"
}

// systems returns the names the system gives itself and its relatives, nearest first.
func (p *places) systems() []string {
	text, err := os.ReadFile(p.release)
	if err != nil {
		return nil
	}
	named := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			named[key] = strings.Trim(value, `"'`)
		}
	}
	return append([]string{named["ID"]}, strings.Fields(named["ID_LIKE"])...)
}
