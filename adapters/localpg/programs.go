package localpg

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrNoPrograms is returned when there are no PostgreSQL programs, of a version that fits the data, which the database's
// user can run. The message says why, and how to install them.
var ErrNoPrograms = errors.New("no usable PostgreSQL programs")

// oldestVersion is the oldest major version of PostgreSQL that a new data directory is created with: older ones are no
// longer maintained. Existing data are opened with the version that wrote them and never upgraded here.
const oldestVersion = 14

// places are the usual folders of PostgreSQL's programs.
var places = []string{
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
}

// programFolders returns the folders with pg_ctl in PATH and among those that the patterns name, the highest version of
// each pattern first.
func programFolders(path string, patterns []string) []string {
	all := filepath.SplitList(path)
	for _, pattern := range patterns {
		matches, _ := filepath.Glob(pattern) // all patterns are well formed
		slices.Reverse(matches)
		all = append(all, matches...)
	}
	return slices.DeleteFunc(all, func(folder string) bool {
		_, err := exec.LookPath(filepath.Join(folder, "pg_ctl"))
		return err != nil || !filepath.IsAbs(folder) // a relative folder would let the working directory choose
	})
}

var versionLine = regexp.MustCompile(`\(PostgreSQL\) ([0-9]+)`)

// findPrograms returns the first folder whose programs the account can run in the data directory and whose major version
// is the wanted one, or recent enough where no data ask for one.
func (c *cluster) findPrograms(ctx context.Context, folders []string, wanted string) (string, error) {
	found := []string{"PATH and the usual folders searched"}
	for _, folder := range folders {
		said, err := c.account.command(ctx, c.folder, filepath.Join(folder, "pg_ctl"), "--version").Output()
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err != nil {
			found = append(found, fmt.Sprintf("%s does not run as user %s in %s (%v)", folder, c.account.name(), c.folder, err))
			continue
		}
		version := versionLine.FindStringSubmatch(string(said) + " (PostgreSQL) 0")[1]
		major, _ := strconv.Atoi(version)
		if wanted == version || wanted == "" && major >= oldestVersion {
			return folder, nil
		}
		found = append(found, folder+" has version "+version)
	}
	needed := "version " + wanted + " is needed, which wrote the data"
	if wanted == "" {
		needed = fmt.Sprintf("version %d or newer is needed", oldestVersion)
	}
	return "", fmt.Errorf("%w: %s: %s. Install the server (Debian: apt-get install postgresql, Fedora: dnf install postgresql-server "+
		"postgresql-contrib, macOS: brew install postgresql@17), put the folder of pg_ctl into PATH, or set KONTOR_DATABASE_URL",
		ErrNoPrograms, needed, strings.Join(found, "; "))
}
