package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/executable"
)

// require runs .ci/require with these programs, and the tools that it needs, as the only ones installed.
func require(t *testing.T, installed map[string]string, wanted ...string) (said string, err error) {
	t.Helper()
	bin := t.TempDir()
	for _, tool := range []string{"sh", "dirname", "sed", "grep", "cut"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, tool)); err != nil {
			t.Fatal(err)
		}
	}
	for name, script := range installed {
		if err := executable.Write(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), root+".ci/require", wanted...)
	command.Env = []string{"PATH=" + bin}
	output, err := command.CombinedOutput()
	return string(output), err
}

func TestRequireSaysHowToInstallWhatIsMissing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		installed map[string]string
		wanted    []string
		says      []string
	}{
		"everything is installed": {map[string]string{"go": "echo go version go1.21.0 linux/amd64", "git": ""}, []string{"go", "git"}, nil},
		"no Go":                   {nil, []string{"go"}, []string{"Go is missing", "https://go.dev/dl/"}},
		"an old Go":               {map[string]string{"go": "echo go version go1.19.8 linux/amd64"}, []string{"go"}, []string{"go1.19.8 is too old", "https://go.dev/dl/"}},
		"several":                 {nil, []string{"git", "cc", "docker"}, []string{"apt-get install git", "apt-get install gcc", "apt-get install docker.io"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, err := require(t, c.installed, c.wanted...)
			if (err != nil) != (c.says != nil) || len(c.says) == 0 && said != "" {
				t.Errorf("got %q, %v", said, err)
			}
			for _, part := range c.says {
				if !strings.Contains(said, part) {
					t.Errorf("%q does not contain %q", said, part)
				}
			}
		})
	}
}
